/** Size of a text inside a JSON document in bytes, without its quotes. */
export function jsonTextBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** The longest prefix of a text that takes at most `maxBytes` as JSON. Never splits a surrogate pair. */
export function fitStart(text: string, maxBytes: number): string {
  return longestThatFits(text, maxBytes, (length) =>
    text.slice(0, splitsPair(text, length) ? length - 1 : length),
  );
}

/** The longest suffix of a text that takes at most `maxBytes` as JSON. Never splits a surrogate pair. */
export function fitEnd(text: string, maxBytes: number): string {
  return longestThatFits(text, maxBytes, (length) => {
    const start = text.length - length;
    return text.slice(splitsPair(text, start) ? start + 1 : start);
  });
}

/**
 * `part` must not split surrogate pairs: a lone half is longer as JSON than the whole pair, and sizes would not
 * increase monotonically.
 */
function longestThatFits(text: string, maxBytes: number, part: (length: number) => string): string {
  if (text.length * 6 <= maxBytes || jsonTextBytes(text) <= maxBytes) return text;
  let low = 0;
  let high = Math.min(text.length, maxBytes);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (jsonTextBytes(part(middle)) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return part(low);
}

/** A text that fits, and how many characters of its start and end are left if it was cut. */
type FittedMiddle =
  | { text: string; cut: false }
  | { text: string; cut: true; startChars: number; endChars: number };

/** Shortens a long text to its start and end, with a line between them that says how much is missing. */
export function fitMiddle(text: string, maxBytes: number): FittedMiddle {
  if (jsonTextBytes(text) <= maxBytes) return { text, cut: false };
  const half = Math.floor((maxBytes - 64) / 2);
  const start = fitStart(text, half);
  const end = fitEnd(text, half);
  return {
    text: `${start}\n[… ${text.length - start.length - end.length} characters left out …]\n${end}`,
    cut: true,
    startChars: start.length,
    endChars: end.length,
  };
}

/** Only true inside a complete pair; a lone surrogate counts as a character. */
function splitsPair(text: string, index: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(index - 1, index + 1));
}
