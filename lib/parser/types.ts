import type { JsonObject, JsonValue } from '../util/json.ts';
import type { ParserLayer } from './layers.ts';

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

/** A reply message from Ollama. It is untrusted: any field may be missing or have the wrong type. */
export interface ReplyMessage {
  role?: unknown;
  content?: unknown;
  thinking?: unknown;
  tool_calls?: unknown;
}

/** A tool call as the rest of the program sees it. */
export interface ToolCall {
  name: string;
  arguments: JsonObject;
}

/** Where a call is in the reply. Offsets are UTF-16 code units into the named text. */
export interface TextSpan {
  in: 'content' | 'thinking';
  start: number;
  end: number;
}

/** How one call was read. `origins[i]` belongs to `calls[i]`. */
export interface CallOrigin {
  layer: ParserLayer;
  /** The format's name in the registry, for example `native`, `json`, `hermes`, `qwen3-coder`. */
  format: string;
  span?: TextSpan;
}

/** A value that was converted to fit the tool's schema (P9, P10). `path` is dotted: `items.0.count`. */
export interface Coercion {
  call: number;
  path: string;
  before: JsonValue;
  /** `undefined` when an optional parameter given as null was omitted. */
  after?: JsonValue;
}

/** A piece of text that was repaired before it could be read. */
interface Repair {
  call: number;
  rule: string;
  before: string;
  after: string;
}

/** Text that resembles a call but was not read as one, and why. */
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
  /** The original text, at most 400 characters. */
  raw: string;
  name?: string;
  /** The offered name nearest to `name`, if one is close. */
  nearest?: string;
  span?: TextSpan;
  message: string;
}

/** One rung of the parse ladder: a layer or format that was tried, and how many calls it found. */
export interface LayerAttempt {
  layer: ParserLayer;
  /** `undefined` for the layer as a whole. */
  format?: string;
  found: number;
}

export interface ParseDetails {
  /** The first layer with a call; `none` when there is no call. */
  layer: ParserLayer | 'none';
  /** Format of the first call; `undefined` when there is none. */
  format?: string;
  origins: CallOrigin[];
  coercions: Coercion[];
  repairs: Repair[];
  refusals: Refusal[];
  attempts: LayerAttempt[];
  /** The content without thinking and without the text of calls (P4, K-9). */
  visibleText: string;
  /** The stripped think blocks and the API's `thinking` field, joined by a blank line (P18). */
  thinking: string;
  /** Set when text meant as a call could not be read and there is no other call (P15, T22). */
  malformed?: true;
}

/** The three outcomes (P1), each with the details for the dashboard. */
export type ParsedReply = ParseDetails &
  (
    | { type: 'tool_calls'; calls: ToolCall[] }
    | { type: 'final_answer'; content: string }
    | { type: 'empty'; content: '' }
  );

export interface ParseOptions {
  /** The tools offered with the request. Formats without a marker require one of their names (P16). */
  tools?: readonly ToolDefinition[];
  /** Active layers per mode (P19). Default: all three. */
  layers?: readonly ParserLayer[];
}
