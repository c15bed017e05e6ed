import { formatCount } from './numbers.ts';

/** The fields of an object in a message of an MCP server or a model server. */
export const MAX_OBJECT_FIELDS = 20_000;
/** The objects and lists in such a message. */
export const MAX_MESSAGE_PARTS = 300_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const LINE_FEED = 0x0a;

/**
 * Counts the fields of each object, and the objects and lists, while JSON arrives. Reading and checking a message with
 * hundreds of thousands of fields in one object, or a million small objects, would keep the event loop from all other work
 * for up to seconds.
 */
export class FieldCounter {
  /** By open object, the outermost first. */
  #fields: number[] = [];
  #parts = 0;
  #inString = false;
  #escaped = false;

  /** Takes the next byte. @returns what the message now has too many of, such as `an object with more than 20,000 fields` */
  take(byte: number): string | undefined {
    if (byte === LINE_FEED)
      this.#inString = this.#escaped = false; // no string contains one
    else if (this.#escaped) this.#escaped = false;
    else if (byte === QUOTE) this.#inString = !this.#inString;
    else if (this.#inString) this.#escaped = byte === BACKSLASH;
    else if (byte === OPEN) {
      this.#fields.push(0);
      return this.#countPart();
    } else if (byte === OPEN_LIST) return this.#countPart();
    else if (byte === CLOSE) this.#fields.pop();
    else if (byte === COLON) return this.#countField();
    return undefined;
  }

  /** A new message begins. */
  reset(): void {
    this.#fields = [];
    this.#parts = 0;
    this.#inString = this.#escaped = false;
  }

  #countPart(): string | undefined {
    this.#parts += 1;
    return this.#parts > MAX_MESSAGE_PARTS
      ? `more than ${formatCount(MAX_MESSAGE_PARTS)} objects and lists`
      : undefined;
  }

  #countField(): string | undefined {
    const open = this.#fields.length - 1;
    const fields = (this.#fields[open] ?? 0) + 1;
    if (open >= 0) this.#fields[open] = fields;
    return fields > MAX_OBJECT_FIELDS
      ? `an object with more than ${formatCount(MAX_OBJECT_FIELDS)} fields`
      : undefined;
  }
}

/** What a text of JSON has more of than a message may have; `undefined` if nothing. */
export function sizeProblem(json: Uint8Array): string | undefined {
  const counter = new FieldCounter();
  for (const byte of json) {
    const problem = counter.take(byte);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
