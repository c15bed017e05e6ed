import { skipSpace } from './source.ts';
import type { Piece } from './visible-text.ts';

/** The stretches of a text that a reader may see, collected from left to right while the rest is taken out. */
export class KeptText {
  readonly pieces: Piece[] = [];
  readonly #text: string;
  /** Offset behind what was last taken out or kept. */
  #start = 0;
  #hasText = false;
  /** Offset of the first character at or behind `#start` that is not blank. */
  #blankUntil = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Takes a stretch out; what stands before it is kept. */
  cut(from: number, to: number): void {
    this.keepTo(from);
    this.#start = to;
  }

  /** Takes a stretch out where there are calls, and keeps it where there are none. */
  cutWithCalls(from: number, to: number): void {
    this.cut(from, to);
    this.pieces.push({ start: from, end: to, onlyWithoutCalls: true });
  }

  keepTo(end: number): void {
    if (end <= this.#start) return;
    this.#hasText ||= !this.isBlankBefore(end);
    this.pieces.push({ start: this.#start, end });
    this.#start = end;
  }

  /** Gives back what was kept from an offset on, in order. It is kept no longer. */
  takeBack(from: number): Piece[] {
    const taken: Piece[] = [];
    for (let last = this.pieces.pop(); last !== undefined; last = this.pieces.pop()) {
      if (last.start < from) {
        this.pieces.push(last);
        break;
      }
      taken.push(last);
    }
    this.#hasText = this.pieces.length > 0;
    return taken.reverse();
  }

  /** Whether a reader would see nothing before an offset. Looks at each character once however often it is asked. */
  isBlankBefore(at: number): boolean {
    if (this.#hasText) return false;
    if (this.#blankUntil < this.#start) this.#blankUntil = skipSpace(this.#text, this.#start);
    return this.#blankUntil >= at;
  }

  /** Whether the line that starts at an offset is the first one with anything to see. */
  isFirstLine(at: number): boolean {
    if (!this.isBlankBefore(at)) return false;
    let indented = at;
    while (this.#text[indented] === ' ' || this.#text[indented] === '\t') indented++;
    return this.#blankUntil === indented;
  }
}
