import { cleanLine } from './clean-text.ts';
import type { SecretMask } from './secrets.ts';

/** The kept start of a body, in bytes; shown in characters. */
const KEPT_BYTES = 1000;
const SHOWN_CHARS = 200;

/** The response to a message, for the operator if it is not what the protocol demands. */
export class ReceivedResponse {
  readonly isEvents: boolean;
  readonly #status: number;
  readonly #type: string;
  #start = Buffer.alloc(0);
  #isComplete: boolean;

  constructor({ status, headers, body }: Response) {
    this.#status = status;
    this.#type = headers.get('content-type') ?? '';
    this.isEvents = this.#type.includes('text/event-stream');
    this.#isComplete = body === null;
  }

  /** Keeps the start of its body. */
  take(chunk: Uint8Array): void {
    const room = KEPT_BYTES - this.#start.length;
    if (room > 0) this.#start = Buffer.concat([this.#start, chunk.subarray(0, room)]);
  }

  complete(): void {
    this.#isComplete = true;
  }

  /** The start of its body. */
  get start(): Uint8Array {
    return this.#start;
  }

  /** Whether it claims to be the answer and was received in full. */
  get isWhole(): boolean {
    return this.#isComplete && !this.isEvents && this.#status >= 200 && this.#status < 300;
  }

  /** What is wrong with it as the answer to a request, in a sentence. */
  problem(mask: SecretMask): string {
    if (this.#status === 202) {
      return 'It accepted the request without answering it (HTTP 202). Servers with the older SSE transport, which is not supported, do that.';
    }
    const type = cleanLine(this.#type, 100, mask);
    const start = cleanLine(this.#start.toString('utf8'), SHOWN_CHARS, mask);
    const facts = [`HTTP ${this.#status}`, ...(type === '' ? [] : [type])].join(', ');
    return start === ''
      ? `It sent an empty response (${facts}).`
      : `It sent no valid answer (${facts}): "${start}".`;
  }
}
