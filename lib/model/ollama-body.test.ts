import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReplyObject, readExcerpt, readLines, readText } from './ollama-body.ts';

async function* inPieces(text: string, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  let start = 0;
  for (const cut of [
    ...cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b),
    bytes.length,
  ]) {
    yield bytes.subarray(start, cut);
    start = Math.max(start, cut);
  }
}
async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines) found.push(line);
  return found;
}
const limits = { maxLineBytes: 1000, maxResponseBytes: 100_000 };

describe('readLines', () => {
  it('gives the same lines however the bytes are cut', async () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `{${text.replace(/\s/g, '')}}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 20 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        async (lines, cuts) => {
          const text = lines.map((line) => `${line}\n`).join('');
          expect(await all(readLines(inPieces(text, cuts), limits))).toEqual(lines);
        },
      ),
    );
  });

  it('needs no line break at the end, skips empty lines and takes CRLF', async () => {
    expect(await all(readLines(inPieces('a\r\n\n\nb', [0.3]), limits))).toEqual(['a', 'b']);
  });

  it('stops at a long line before it is complete, and at a long body', async () => {
    await expect(all(readLines(inPieces('x'.repeat(1001), [0.5]), limits))).rejects.toThrow('1000 bytes');
    await expect(all(readLines(inPieces(`${'x'.repeat(999)}\n`.repeat(101), []), limits))).rejects.toThrow(
      '100000 bytes',
    );
    expect(await all(readLines(inPieces('x'.repeat(1000), []), limits))).toHaveLength(1);
  });
});

it('readText stops at the limit, readExcerpt is satisfied with it', async () => {
  await expect(readText(inPieces('x'.repeat(101), [0.1, 0.2]), 100)).rejects.toThrow('100 bytes');
  expect(await readText(inPieces('ä'.repeat(50), [0.33]), 100)).toBe('ä'.repeat(50));
  expect(await readExcerpt(inPieces('x'.repeat(500), [0.1, 0.5]), 100)).toBe('x'.repeat(100));
});

it('any text that is not a JSON object gives the same kind of error [T6]', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        expect(typeof parseReplyObject(text)).toBe('object');
      } catch (error) {
        expect(error).toMatchObject({
          kind: 'bad_response',
          message: expect.stringMatching(/^Ollama response parse error: /),
        });
      }
    }),
  );
});
