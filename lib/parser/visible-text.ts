/** A visible range of the content. */
export interface Piece {
  start: number;
  end: number;
  /** Shown only when the reply has no calls: call tokens and invented results. */
  onlyWithoutCalls?: true;
}

/** Joins the visible pieces without the gaps that removed calls would leave (P4, K-9). */
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

/** Where text was removed, the white space on both sides collapses to the wider one. */
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

/** Removes a fence or element that contained only the removed text. */
function withoutFrames(head: string, tail: string): [string, string] {
  let [before, after] = [head, tail];
  for (let frames = 0; frames < MAX_FRAMES; frames++) {
    const end = before.slice(-40);
    const element = ELEMENT_START.exec(end);
    const opener = element?.[0] ?? FENCE_START.exec(end)?.[0];
    const closer = element ? `</${element[1]}>` : '```';
    if (opener === undefined || !after.startsWith(closer)) break;
    before = before.slice(0, -opener.length).trimEnd();
    after = after.slice(closer.length).trimStart();
  }
  return [before, after];
}

function lines(space: string): number {
  return space.split('\n').length - 1;
}
