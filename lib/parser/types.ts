import type { JsonObject, JsonValue } from '../util/json.ts';

/** The part of JSON Schema that Ollama's tool definitions use. */
export interface ParameterSchema {
  type?: string | string[];
  description?: string;
  enum?: JsonValue[];
  items?: ParameterSchema;
  properties?: { [name: string]: ParameterSchema };
  required?: string[];
  anyOf?: ParameterSchema[];
  [keyword: string]: unknown;
}

/** One tool as Ollama's `/api/chat` takes it in `tools` (O1). */
export interface ToolDefinition {
  type: 'function';
  function: { name: string; description: string; parameters: ParameterSchema };
}

/** A reply message of Ollama, as hostile as it may come: every field may be missing or of a wrong type. */
export interface ReplyMessage {
  role?: unknown;
  content?: unknown;
  thinking?: unknown;
  tool_calls?: unknown;
}

/** One tool call, the way every later part of the program sees it. */
export interface ToolCall {
  name: string;
  arguments: JsonObject;
}

/** The three layers in the order they are tried (P2); `none` when no call was read. */
export type ParseLayer = 'native' | 'json' | 'xml' | 'none';

/** Where in the reply a call stood. Offsets are UTF-16 code units into the named text. */
export interface TextSpan {
  in: 'content' | 'thinking';
  start: number;
  end: number;
}

/** How one call was read. `origins[i]` belongs to `calls[i]`. */
export interface CallOrigin {
  layer: Exclude<ParseLayer, 'none'>;
  /** The format's name in the registry, for example `native`, `json`, `hermes`, `qwen3-coder`. */
  format: string;
  span?: TextSpan;
}

/** One value that was changed to fit the tool's schema (P9, P10). `path` is dotted: `items.0.count`. */
export interface Coercion {
  call: number;
  path: string;
  before: JsonValue;
  /** `undefined` when an optional parameter given as null was left out. */
  after?: JsonValue;
}

/** One piece of text that had to be mended before it could be read. */
export interface Repair {
  call: number;
  rule: string;
  before: string;
  after: string;
}

/** Call-like text that was not taken as a call, and why. */
export interface Refusal {
  reason:
    | 'malformed'
    | 'cut'
    | 'name-not-offered'
    | 'definition-echo'
    | 'result-echo'
    | 'inside-thinking'
    | 'code-sample'
    | 'unsafe-key'
    | 'too-deep'
    | 'too-large';
  /** The text as it stood, at most 400 characters. */
  raw: string;
  name?: string;
  /** The offered name that is nearest to `name`, when one is near. */
  nearest?: string;
  span?: TextSpan;
  message: string;
}

/** Which layers and formats were tried, in order, and what each found: the rungs of the parse ladder. */
export interface LayerAttempt {
  layer: Exclude<ParseLayer, 'none'>;
  /** `undefined` stands for the layer as a whole. */
  format?: string;
  found: number;
}

export interface ParseDetails {
  layer: ParseLayer;
  /** Format of the first call; `undefined` when there is none. */
  format?: string;
  origins: CallOrigin[];
  coercions: Coercion[];
  repairs: Repair[];
  refusals: Refusal[];
  attempts: LayerAttempt[];
  /** What a reader sees: content without thinking and without the text of calls (P4, K-9). */
  visibleText: string;
  /** Stripped think blocks and the API's own field, joined by a blank line (P18). */
  thinking: string;
  /** Set when call-like text could not be read and no call is left (P15, T22). */
  malformed?: true;
}

/** The three outcomes of P1, each with the details that the dashboard shows. */
export type ParsedReply = ParseDetails &
  (
    | { type: 'tool_calls'; calls: ToolCall[] }
    | { type: 'final_answer'; content: string }
    | { type: 'empty'; content: '' }
  );

export interface ParseOptions {
  /** The tools that were offered with the request. Weak formats need the name to be among them (P16). */
  tools?: readonly ToolDefinition[];
  /** Active layers per mode (P19). Default: all three. */
  layers?: readonly Exclude<ParseLayer, 'none'>[];
}
