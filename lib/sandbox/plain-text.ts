const ESC = 0x1b;

/**
 * Converts terminal output to plain text: removes escape sequences and control characters, normalizes line breaks to LF,
 * and lets a carriage return overwrite its line as on a screen. Linear in the length of the text.
 */
export function plainText(text: string): string {
  const kept: string[] = [];
  let from = 0;
  let index = 0;
  const skip = (length: number, insteadOf?: string) => {
    kept.push(text.slice(from, index));
    if (insteadOf !== undefined) kept.push(insteadOf);
    index += length;
    from = index;
  };
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === ESC || (code >= 0x90 && code <= 0x9f)) skip(sequenceLength(text, index));
    else if (code === 0x0d) {
      let end = index + 1;
      while (text.charCodeAt(end) === 0x0d) end++;
      if (text.charCodeAt(end) === 0x0a || end === text.length) skip(end - index);
      else skip(end - index, '\r');
    } else if ((code < 0x20 && code !== 0x09 && code !== 0x0a) || (code >= 0x7f && code <= 0x8f)) skip(1);
    else index++;
  }
  kept.push(text.slice(from));
  const joined = kept.join('');
  if (!joined.includes('\r')) return joined;
  return joined
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n');
}

/** Length of the escape sequence at `start` (ECMA-48): ESC x, CSI … final, or a string up to BEL or ST. */
function sequenceLength(text: string, start: number): number {
  const first = text.charCodeAt(start);
  const introducer = first === ESC ? text.charCodeAt(start + 1) : first - 0x40;
  const body = start + (first === ESC ? 2 : 1);
  if (introducer === 0x5b) {
    let index = body;
    while (index < text.length && text.charCodeAt(index) >= 0x20 && text.charCodeAt(index) <= 0x3f) index++;
    const final = text.charCodeAt(index);
    return (final >= 0x40 && final <= 0x7e ? index + 1 : index) - start;
  }
  // DCS, SOS, OSC, PM and APC contain a string that a terminal would not show; if it is not terminated, only remove the
  // start.
  if ([0x50, 0x58, 0x5d, 0x5e, 0x5f].includes(introducer)) {
    const limit = Math.min(text.length, body + 4096);
    for (let index = body; index < limit; index++) {
      const code = text.charCodeAt(index);
      if (code === 0x07 || code === 0x9c) return index + 1 - start;
      if (code === ESC) return (text.charCodeAt(index + 1) === 0x5c ? index + 2 : index) - start;
      if (code === 0x0a) break;
    }
    return body - start;
  }
  if (first !== ESC) return 1;
  // ESC, intermediates, one final byte; a lone ESC is removed alone.
  let index = start + 1;
  while (index < text.length && text.charCodeAt(index) >= 0x20 && text.charCodeAt(index) <= 0x2f) index++;
  const final = text.charCodeAt(index);
  return (final >= 0x30 && final <= 0x7e ? index + 1 : index) - start;
}
