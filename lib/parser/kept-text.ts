import { skipSpace } from './space.ts';
import type { Piece } from './visible-text.ts';

/** Collects the visible pieces of a text from left to right while the rest is cut. */
export class KeptText {
  readonly pieces: Piece[] = [];
  readonly #text: string;
  /** Offset after the last piece that was cut or kept. */
  #start = 0;
  #hasText = false;
  /** Offset of the first non-blank character from `#start` on. */
  #blankUntil = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Offset after the last cut or kept piece. */
  get free(): number {
    return this.#start;
  }

  /** Cuts a range and keeps the text before it. */
  cut(from: number, to: number): void {
    this.keepTo(from);
    this.#start = to;
  }

  /** Cuts a range that is shown only when the reply has no calls. */
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

  /** Removes and returns the pieces kept from an offset on, in order. */
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

  /** Whether no visible text comes before an offset. Examines each character once, however often it is called. */
  isBlankBefore(at: number): boolean {
    if (this.#hasText) return false;
    if (this.#blankUntil < this.#start) this.#blankUntil = skipSpace(this.#text, this.#start);
    return this.#blankUntil >= at;
  }

  /** Whether the line at an offset is the first one with visible text. */
  isFirstLine(at: number): boolean {
    if (!this.isBlankBefore(at)) return false;
    let indented = at;
    while (this.#text[indented] === ' ' || this.#text[indented] === '\t') indented++;
    return this.#blankUntil === indented;
  }
}
