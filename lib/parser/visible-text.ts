/** A stretch of content that a reader sees. */
export interface Piece {
  start: number;
  end: number;
  /** Shown only in an answer, not beside calls: tokens that had a meaning for calls, and invented results. */
  onlyWithoutCalls?: true;
}

/** The text a reader sees (P4, K-9), its pieces joined without the gaps that removed calls would leave. */
export function visibleText(text: string, pieces: readonly Piece[], hasCalls: boolean): string {
  const shown = pieces.filter((piece) => !(hasCalls && piece.onlyWithoutCalls));
  const parts: string[] = [];
  let last: Piece | undefined;
  for (const piece of shown) {
    const part = text.slice(piece.start, piece.end);
    if (last && last.end !== piece.start) appendAcrossGap(parts, part);
    else parts.push(part);
    last = piece;
  }
  return parts.join('').trim();
}

/** Where something was taken out, the white space on both sides becomes that of the wider side. */
function appendAcrossGap(parts: string[], part: string): void {
  const before = parts.pop() ?? '';
  const head = before.trimEnd();
  const tail = part.trimStart();
  const spaceBefore = before.slice(head.length);
  const spaceBehind = part.slice(0, part.length - tail.length);
  const gap = lines(spaceBefore) + lines(spaceBehind) > 0 ? '\n\n' : spaceBefore || spaceBehind;
  const [first, second] = withoutEmptyFence(head, tail);
  parts.push(first, gap, second);
}

const FENCE_START = /```[\w-]{0,20}$/;

/** A fence that held the removed text alone is removed with it. */
function withoutEmptyFence(head: string, tail: string): [string, string] {
  const opener = FENCE_START.exec(head.slice(-24))?.[0];
  if (opener === undefined || !tail.startsWith('```')) return [head, tail];
  return [head.slice(0, -opener.length).trimEnd(), tail.slice(3).trimStart()];
}

function lines(space: string): number {
  return space.split('\n').length - 1;
}
