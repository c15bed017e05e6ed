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
  const [first, second] = withoutFrames(head, tail);
  parts.push(first, gap, second);
}

const FENCE_START = /```[\w-]{0,20}$/;
const ELEMENT_START = /<([\w:-]{1,32})>$/;
const MAX_FRAMES = 3;

/** A fence or element that held the removed text alone is removed with it. */
function withoutFrames(head: string, tail: string): [string, string] {
  let [before, behind] = [head, tail];
  for (let frames = 0; frames < MAX_FRAMES; frames++) {
    const end = before.slice(-40);
    const element = ELEMENT_START.exec(end);
    const opener = element?.[0] ?? FENCE_START.exec(end)?.[0];
    const closer = element ? `</${element[1]}>` : '```';
    if (opener === undefined || !behind.startsWith(closer)) break;
    before = before.slice(0, -opener.length).trimEnd();
    behind = behind.slice(closer.length).trimStart();
  }
  return [before, behind];
}

function lines(space: string): number {
  return space.split('\n').length - 1;
}
