/** Pieces to collect before they are joined. */
const JOINED_PIECES = 4096;

/**
 * A text that grows by pieces of a few characters. V8 keeps about 32 bytes for each `+=`, so a long text built from
 * single tokens would take several times its size; this one takes little more than its characters.
 */
export class GrowingText {
  #text = '';
  #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: string): void {
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length === JOINED_PIECES) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#text;
  }

  #join(): void {
    if (this.#pieces.length === 0) return;
    this.#text += this.#pieces.join('');
    this.#pieces = [];
  }
}
