/** Bytes a text takes inside a JSON document, without its quotes. */
export function jsonTextBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** The longest beginning of a text that takes at most `maxBytes` as JSON. Never splits a surrogate pair. */
export function fitStart(text: string, maxBytes: number): string {
  if (text.length * 6 <= maxBytes || jsonTextBytes(text) <= maxBytes) return text;
  let low = 0;
  let high = Math.min(text.length, maxBytes);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (jsonTextBytes(text.slice(0, middle)) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, isHighSurrogate(text, low - 1) ? low - 1 : low);
}

/** The longest end of a text that takes at most `maxBytes` as JSON. Never splits a surrogate pair. */
export function fitEnd(text: string, maxBytes: number): string {
  if (text.length * 6 <= maxBytes || jsonTextBytes(text) <= maxBytes) return text;
  let low = 0;
  let high = Math.min(text.length, maxBytes);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (jsonTextBytes(text.slice(text.length - middle)) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  const start = text.length - low;
  return text.slice(isHighSurrogate(text, start - 1) ? start + 1 : start);
}

/** A long text as its beginning and its end, with a line between them that says how much is missing. */
export function fitMiddle(text: string, maxBytes: number): { text: string; cut: boolean } {
  if (jsonTextBytes(text) <= maxBytes) return { text, cut: false };
  const half = Math.floor((maxBytes - 64) / 2);
  const start = fitStart(text, half);
  const end = fitEnd(text, half);
  return {
    text: `${start}\n[… ${text.length - start.length - end.length} characters left out …]\n${end}`,
    cut: true,
  };
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code <= 0xdbff;
}
