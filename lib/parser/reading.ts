import type { JsonObject } from '../util/json.ts';
import type { JsonReaderOptions, JsonReading, TextRepair } from './json/json-cursor.ts';
import type { Tag } from './tags.ts';
import type { ParameterSchema, Refusal } from './types.ts';

/** A call before its arguments are coerced to the tool's schema. */
export interface CallDraft {
  name: string;
  arguments: JsonObject;
  repairs: TextRepair[];
  /** The arguments came as bare text (XML elements), so their types are unknown. */
  untyped?: boolean;
}

/** A refusal without its position in the text. */
export interface RefusalDraft {
  reason: Refusal['reason'];
  message: string;
  name?: string;
}

export type Verdict = { call: CallDraft } | { refusal: RefusalDraft };

/** Strong: an explicit marker announced a call. Weak: only its shape and an offered name suggest one (P16). */
export type Strength = 'strong' | 'weak';

/** The offered tools, looked up by the names that models write. */
export interface OfferedTools {
  offered(written: string): string | undefined;
  resolve(written: string): string;
  schema(name: string): ParameterSchema | undefined;
  onlyOne(passes: (schema: ParameterSchema) => boolean): string | undefined;
  some(passes: (schema: ParameterSchema) => boolean): boolean;
}

/** The text being read. `Source` implements it and keeps the total work proportional to the length of the text. */
export interface SourceText {
  readonly text: string;
  readonly exhausted: boolean;
  tagAt(at: number): Tag | undefined;
  find(pattern: RegExp, from: number): { at: number; end: number } | undefined;
  indexOf(needle: string, from: number, to: number): number | undefined;
  readJson(at: number, options?: JsonReaderOptions): JsonReading;
  readJsonAgain(at: number, options: JsonReaderOptions): JsonReading;
  claim(what: string, limit: number): boolean;
}

export interface ShapeContext {
  /** A key that the reader left out of the value because it could reach a prototype. */
  unsafeKey?: string;
  /** The value comes from our own JSON reader, which leaves out unsafe keys, so it is not searched for them. */
  vetted?: boolean;
  /** The text ended before the value did, so a missing part may only have been cut off. */
  truncated?: boolean;
  tools: OfferedTools;
  strength: Strength;
}

/** The few notations for a name and its arguments. Every wrapper holds one of these. */
export type BodyKind =
  | 'json'
  | 'named-json'
  | 'python'
  | 'parameters'
  | 'pairs'
  | 'map'
  | 'elements'
  | 'name';

interface Boundary {
  at: number;
  /** Whether it is a closer, so that nothing of the call is missing. */
  closes: boolean;
}

export interface BodyContext extends ShapeContext {
  source: SourceText;
  /** Values start directly after their tag, without a line break in between. */
  inlineValues?: boolean;
  /** The wrapper's next closer or opener after an offset. Repairs reach no further. */
  boundary?: (from: number) => Boundary | undefined;
}

export interface BodyReading {
  kind: BodyKind;
  /** Offset after the body, or where reading it failed. */
  end: number;
  /** Calls and refusals in reading order. */
  verdicts: Verdict[];
}

/** Reads one kind of body at an offset. `undefined` means that the body is of another kind. */
export type BodyReader = (context: BodyContext, at: number) => BodyReading | undefined;
