import type { JsonObject } from '../util/json.ts';

/** A message of a request, beside the message itself in `body.messages`. */
export interface SentMessageFacts {
  /** Characters / 4 (C1): an estimate, since only the model's server counts tokens. */
  estimated_tokens: number;
  /** Set when an older result was sent in a shorter form: the whole, as the log keeps it (C5). */
  whole?: string;
}

/** `GET /api/runs/{id}/calls/{call}/request`: what the model was asked, made again from the log. */
export interface SentRequestReply {
  call: number;
  /** The event that announces the call. */
  seq: number;
  /** The body of `POST /api/chat`, as it was sent. */
  body: JsonObject;
  /** One entry for each of `body.messages`, in its order. */
  messages: SentMessageFacts[];
  /** Characters / 4 over the tool definitions. */
  tools_estimated_tokens: number;
  /** What Ollama counted of the prompt, once it has answered. */
  evaluated_tokens?: number;
}

/** `POST /api/runs/{id}/calls/{call}/render`: the prompt as Ollama makes it of the request. */
export interface RenderedReply {
  call: number;
  rendered: string;
}
