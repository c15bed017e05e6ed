/** The fields of an object in a message of an MCP server or a model server. */
export const MAX_OBJECT_FIELDS = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const LINE_FEED = 0x0a;

/**
 * Counts the fields of each object while JSON arrives. Reading and checking a message with hundreds of thousands of fields
 * in one object would keep the event loop from all other work for seconds.
 */
export class FieldCounter {
  /** By open object, the outermost first. */
  #fields: number[] = [];
  #inString = false;
  #escaped = false;

  /** Takes the next byte. @returns whether an object now has more fields than a message may have */
  isTooMany(byte: number): boolean {
    if (byte === LINE_FEED)
      this.#inString = this.#escaped = false; // no string contains one
    else if (this.#escaped) this.#escaped = false;
    else if (byte === QUOTE) this.#inString = !this.#inString;
    else if (this.#inString) this.#escaped = byte === BACKSLASH;
    else if (byte === OPEN) this.#fields.push(0);
    else if (byte === CLOSE) this.#fields.pop();
    else if (byte === COLON) return this.#count() > MAX_OBJECT_FIELDS;
    return false;
  }

  /** A new message begins. */
  reset(): void {
    this.#fields = [];
    this.#inString = this.#escaped = false;
  }

  #count(): number {
    const open = this.#fields.length - 1;
    const fields = (this.#fields[open] ?? 0) + 1;
    if (open >= 0) this.#fields[open] = fields;
    return fields;
  }
}

/** Whether an object in a text of JSON has more fields than a message may have. */
export function hasTooManyFields(json: Uint8Array): boolean {
  const counter = new FieldCounter();
  return json.some((byte) => counter.isTooMany(byte));
}
