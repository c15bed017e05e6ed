import { plainText } from './plain-text.ts';
import type { CapturedOutput } from './sandbox.ts';

/** Keeps the start and the end of a stream in bounded memory. */
export class OutputCapture {
  readonly #keptBytes: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  readonly #tail: Buffer[] = [];
  #tailBytes = 0;
  #totalBytes = 0;

  /** @param keptBytes how much to keep of the start, and again of the end */
  constructor(keptBytes: number) {
    this.#keptBytes = keptBytes;
  }

  push(chunk: Buffer): void {
    this.#totalBytes += chunk.length;
    const forHead = chunk.subarray(0, this.#keptBytes - this.#headBytes);
    if (forHead.length > 0) {
      this.#head.push(forHead);
      this.#headBytes += forHead.length;
    }
    const forTail = chunk.subarray(forHead.length);
    if (forTail.length === 0) return;
    this.#tail.push(forTail);
    this.#tailBytes += forTail.length;
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      if (this.#tailBytes - first.length < this.#keptBytes) break;
      this.#tail.shift();
      this.#tailBytes -= first.length;
    }
  }

  read(): CapturedOutput {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const end = tail.subarray(Math.max(0, tail.length - this.#keptBytes));
    const omittedBytes = this.#totalBytes - head.length - end.length;
    const text =
      omittedBytes === 0
        ? plainText(Buffer.concat([head, end]).toString('utf8'))
        : `${plainText(head.toString('utf8').replace(/\uFFFD$/, ''))}\n[… ${omittedBytes} bytes left out …]\n${plainText(end.toString('utf8').replace(/^\uFFFD{1,3}/, ''))}`;
    return { text, totalBytes: this.#totalBytes, omittedBytes };
  }
}
