import type { JsonValue } from '../util/json.ts';

/** Shorter values are too common to be masked wherever they occur. */
const MIN_SECRET_CHARS = 6;

/** A value that must not leave the server it is for, with the name of its variable or header. */
export interface Secret {
  name: string;
  value: string;
}

/** Masks secrets in everything a server sends, because a server can echo its environment. */
export class SecretMask {
  #forms: readonly { form: string; mask: string }[] = [];

  constructor(secrets: readonly Secret[]) {
    this.add(secrets);
  }

  /** Masks further values from now on. */
  add(secrets: readonly Secret[]): void {
    const added = secrets
      .filter(({ value }) => value.trim().length >= MIN_SECRET_CHARS)
      .flatMap(({ name, value }) => formsOf(value.trim()).map((form) => ({ form, mask: `[secret ${name}]` })))
      .filter(({ form }) => !this.#forms.some((known) => known.form === form));
    // A value that contains another is masked first.
    this.#forms = [...this.#forms, ...added].sort((one, other) => other.form.length - one.form.length);
  }

  text(text: string): string {
    return this.#forms.reduce((masked, { form, mask }) => masked.replaceAll(form, mask), text);
  }

  /** A copy of a JSON value with masked texts; keys are unchanged. */
  copy<Value>(value: Value): Value {
    if (this.#forms.length === 0 || value === undefined) return value;
    const mask = (_key: string, inner: unknown) => (typeof inner === 'string' ? this.text(inner) : inner);
    return JSON.parse(JSON.stringify(value), mask);
  }

  /** Masks all texts of a value, also in keys. */
  json(value: JsonValue): JsonValue {
    if (this.#forms.length === 0) return value;
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.json(item));
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [this.text(key), this.json(inner)]),
    );
  }
}

/** The forms of a value: plain, escaped in JSON or a URL, base64 or hexadecimal. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  return [
    ...new Set([
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      // Base64 depends on the offset of the value in the encoded data, and its first and last digits on the
      // neighbors.
      ...[0, 1, 2].map((offset) => base64Core(bytes, offset)),
      ...[0, 1, 2].map((offset) => base64Core(bytes, offset).replaceAll('+', '-').replaceAll('/', '_')),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
    ]),
  ].filter((form) => form.length >= MIN_SECRET_CHARS);
}

function base64Core(bytes: Buffer, offset: number): string {
  const digits = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const bits = (offset + bytes.length) * 8;
  return digits.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
}
