import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { formatCount, plural } from '../util/numbers.ts';
import { textStart } from '../util/short-text.ts';
import { cleanLine } from './clean-text.ts';
import { MAX_INITIALIZE_VALUES } from './limits.ts';
import type { SecretMask } from './secrets.ts';

const SHOWN_CHARS = 200;

/** What a server can send instead of an answer. */
const STRAY = {
  line: ['line that is not a protocol message', 'lines that are not protocol messages'],
  event: ['event that is not a protocol message', 'events that are not protocol messages'],
  answer: ['answer that no request waits for', 'answers that no request waits for'],
} as const;
/** What a server can leave unfinished: a line without its line break, or the body of a response. */
const UNFINISHED = {
  line: 'It sent a line that does not end with a line break',
  response: 'It sent a response that does not end',
} as const;
const KINDS = ['line', 'event', 'answer'] as const;
type Kind = (typeof KINDS)[number];

/** How much of each kind had come when a wait began. */
export type StrayCounts = Readonly<Record<Kind, number>>;

/** The requests that a server has not answered, and what it sent instead, for the operator who must find out why. */
export class PendingRequests {
  /** The methods of the requests by their ID. */
  readonly #requests = new Map<number, string>();
  readonly #counts: Record<Kind, number> = { line: 0, event: 0, answer: 0 };
  readonly #last: Partial<Record<Kind, string>> = {};
  #unfinished: { what: keyof typeof UNFINISHED; start: Uint8Array } | undefined;

  /** Counts a request as waiting until it is answered, cancelled or forgotten. */
  sent(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) this.#requests.set(Number(message.id), message.method);
    else if (message.method === 'notifications/cancelled') this.forget(message.params?.requestId);
  }

  forget(id: unknown): void {
    this.#requests.delete(Number(id));
  }

  waitsFor(id: unknown): boolean {
    return this.#requests.has(Number(id));
  }

  /**
   * Ends the wait for an answer. Like the client, compares IDs as numbers.
   *
   * @returns why the answer must not be read, if it must not
   */
  received(message: JSONRPCMessage): string | undefined {
    if ('method' in message) return undefined;
    const method = this.#requests.get(Number(message.id));
    this.forget(message.id);
    if (method === undefined) {
      const id = message.id === undefined ? 'no id' : `id ${message.id}`;
      this.stray('answer', 'error' in message ? `${id}, error: ${message.error.message}` : id);
    }
    // The library checks every value of this one, and describes each that does not fit.
    return method === 'initialize' && hasMoreValues(message, MAX_INITIALIZE_VALUES)
      ? `Its answer to "initialize" has more than ${formatCount(MAX_INITIALIZE_VALUES)} values.`
      : undefined;
  }

  /** Counts what ends no wait. @param text what was sent */
  stray(kind: Kind, text: string): void {
    this.#counts[kind] += 1;
    this.#last[kind] = textStart(text, 4 * SHOWN_CHARS);
  }

  /** Notes the start of what is still arriving; `finished` if it has ended. */
  unfinished(what: keyof typeof UNFINISHED, start: Uint8Array): void {
    this.#unfinished = { what, start };
  }

  finished(): void {
    this.#unfinished = undefined;
  }

  get strays(): StrayCounts {
    return { ...this.#counts };
  }

  /** What came since `before`, and what is still arriving, in sentences; empty if nothing. */
  since(before: StrayCounts, mask: SecretMask): string {
    const strays = KINDS.flatMap((kind) => {
      const count = this.#counts[kind] - before[kind];
      if (count === 0) return [];
      const [one, many] = STRAY[kind];
      const last = cleanLine(this.#last[kind], SHOWN_CHARS, mask);
      const shown = last === '' ? '' : `${count === 1 ? '' : ', the last'}: "${last}"`;
      return [`It sent ${plural(count, one, many)}${shown}.`];
    });
    return [...strays, ...this.#unfinishedWords(mask)].join(' ');
  }

  #unfinishedWords(mask: SecretMask): string[] {
    if (!this.#unfinished) return [];
    const { what, start } = this.#unfinished;
    const text = new TextDecoder().decode(start.subarray(0, 4 * SHOWN_CHARS));
    return [`${UNFINISHED[what]}: "${cleanLine(text, SHOWN_CHARS, mask)}".`];
  }
}

/** Whether a value of JSON has more values in it, at any depth. */
function hasMoreValues(value: object, max: number): boolean {
  const open: object[] = [value];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const values: unknown[] = Object.values(next);
    count += values.length;
    if (count > max) return true;
    for (const inner of values) if (typeof inner === 'object' && inner !== null) open.push(inner);
  }
  return false;
}
