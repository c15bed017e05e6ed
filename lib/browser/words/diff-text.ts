/** A stretch of a comparison: in both texts, only in the first, or only in the second. */
export interface DiffPiece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Beyond this many tokens on one side the middle is shown as replaced: a comparison costs at most 600 × 600 steps. */
const MAX_TOKENS = 600;

/**
 * The changes between two short texts, by words and other characters, removals before additions. The pieces that are
 * not `added` give the first text, those that are not `removed` the second. Pure.
 */
export function diffText(before: string, after: string): DiffPiece[] {
  const a = tokens(before);
  const b = tokens(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const pieces: DiffPiece[] = [
    ...a.slice(0, head).map((text): DiffPiece => ({ kind: 'same', text })),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map((text): DiffPiece => ({ kind: 'same', text })),
  ];
  return joined(pieces);
}

/** Words, and every other character separately. */
function tokens(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** The longest common subsequence between the common prefix and suffix. */
function middle(a: readonly string[], b: readonly string[]): DiffPiece[] {
  const replaced: DiffPiece[] = [
    ...a.map((text): DiffPiece => ({ kind: 'removed', text })),
    ...b.map((text): DiffPiece => ({ kind: 'added', text })),
  ];
  if (a.length === 0 || b.length === 0 || a.length > MAX_TOKENS || b.length > MAX_TOKENS) return replaced;
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = a.length - 1; row >= 0; row -= 1) {
    for (let column = b.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        a[row] === b[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pieces: DiffPiece[] = [];
  let row = 0;
  let column = 0;
  while (row < a.length || column < b.length) {
    const first = a[row];
    const second = b[column];
    if (first !== undefined && first === second) {
      pieces.push({ kind: 'same', text: first });
      row += 1;
      column += 1;
    } else if (first !== undefined && (second === undefined || at(row + 1, column) >= at(row, column + 1))) {
      pieces.push({ kind: 'removed', text: first });
      row += 1;
    } else if (second !== undefined) {
      pieces.push({ kind: 'added', text: second });
      column += 1;
    }
  }
  return pieces;
}

function joined(pieces: readonly DiffPiece[]): DiffPiece[] {
  const all: { kind: DiffPiece['kind']; text: string }[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (last?.kind === piece.kind) last.text += piece.text;
    else all.push({ ...piece });
  }
  return all;
}
