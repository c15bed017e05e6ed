import type { ImageRef } from '../events/image.ts';
import type { JsonObject } from '../util/json.ts';

/** Facts about a request message, in addition to `body.messages`. */
interface SentMessageFacts {
  /** Characters / 4 (C1), and what images take: an estimate, since only the model's server can count tokens. */
  estimated_tokens: number;
  /** The full text from the log, if an older result was sent shortened (C5). */
  whole?: string;
  /** Its images; in `body`, text replaces their bytes. */
  images?: readonly ImageRef[];
}

/** `GET /api/runs/{id}/calls/{call}/request`: the request of a model call, rebuilt from the log. */
export interface SentRequestReply {
  call: number;
  /** The event that starts the call. */
  seq: number;
  /** The body of `POST /api/chat`, as it was sent. */
  body: JsonObject;
  /** One entry for each of `body.messages`, in its order. */
  messages: SentMessageFacts[];
  /** Characters / 4 over the tool definitions. */
  tools_estimated_tokens: number;
  /** The prompt tokens counted by Ollama, once it has answered. */
  evaluated_tokens?: number;
}

/** The version of a model and its server; unknown values are missing. */
export interface RenderedBy {
  digest?: string;
  server_version?: string;
}

/** `POST /api/runs/{id}/calls/{call}/render`: the prompt that Ollama builds from the request today. */
export interface RenderedReply {
  call: number;
  rendered: string;
  /** The versions recorded when the run was prepared. */
  recorded: RenderedBy;
  /** The versions that rendered the prompt. */
  current: RenderedBy;
  /**
   * Whether the template is the one used for the call: `changed` if the model has been recreated under the same name;
   * `unknown` if the log or the server does not contain the model's digest.
   */
  template: 'same' | 'changed' | 'unknown';
}
