/** MiniMax M3 writes this before each of its tags. It is a separator, like white space. */
export const MINIMAX_PREFIX = ']<]minimax[>[';

/** Offset of the first character from `at` on that is neither white space nor MiniMax's separator. */
export function skipSpace(text: string, at: number): number {
  let next = at;
  for (;;) {
    while (isSpace(text.charCodeAt(next))) next++;
    if (text[next] !== ']' || !text.startsWith(MINIMAX_PREFIX, next)) return next;
    next += MINIMAX_PREFIX.length;
  }
}

function isSpace(code: number): boolean {
  return (code >= 0x09 && code <= 0x0d) || code === 0x20 || code === 0xa0 || code === 0xfeff;
}
