import { plainText } from './plain-text.ts';
import type { CapturedOutput } from './sandbox.ts';

/** The line that stands for what is missing from the middle of an output. */
export function bytesLeftOut(bytes: number): string {
  return `\n[… ${bytes} bytes left out …]\n`;
}

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
    const totalBytes = this.#totalBytes;
    if (omittedBytes === 0) {
      return { text: plainText(Buffer.concat([head, end]).toString('utf8')), totalBytes, omittedBytes };
    }
    const before = plainText(head.toString('utf8').replace(/\uFFFD$/, ''));
    const mark = bytesLeftOut(omittedBytes);
    const after = plainText(end.toString('utf8').replace(/^\uFFFD{1,3}/, ''));
    const omittedAt = { from: before.length, to: before.length + mark.length };
    return { text: `${before}${mark}${after}`, totalBytes, omittedBytes, omittedAt };
  }
}
