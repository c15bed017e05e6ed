import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReplyObject, readExcerpt, readLines, readText } from './ollama-body.ts';
import type { Body } from './ollama-http.ts';

function inPieces(text: string, cuts: readonly number[]): Body {
  const bytes = Buffer.from(text);
  const ends = cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b);
  return async (take) => {
    let start = 0;
    for (const end of [...ends, bytes.length]) {
      if (!take(bytes.subarray(start, end))) return;
      start = end;
    }
  };
}
async function all(body: Body): Promise<string[]> {
  const found: string[] = [];
  await readLines(body, limits, (line) => found.push(line) > 0);
  return found;
}
const limits = { maxLineBytes: 1000, maxStreamBytes: 100_000 };

describe('readLines', () => {
  it('gives the same lines however the bytes are cut', async () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `{${text.replace(/\s/g, '')}}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 20 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        async (lines, cuts) => {
          const text = lines.map((line) => `${line}\n`).join('');
          expect(await all(inPieces(text, cuts))).toEqual(lines);
        },
      ),
    );
  });

  it('needs no line break at the end, skips empty lines and accepts CRLF', async () => {
    expect(await all(inPieces('a\r\n\n\nb', [0.3]))).toEqual(['a', 'b']);
  });

  it('stops at a long line before it is complete, and at a long body', async () => {
    await expect(all(inPieces('x'.repeat(1001), [0.5]))).rejects.toThrow('1000 bytes');
    await expect(all(inPieces(`${'x'.repeat(999)}\n`.repeat(101), []))).rejects.toThrow('100000 bytes');
    expect(await all(inPieces('x'.repeat(1000), []))).toHaveLength(1);
  });

  it('reads no further once enough lines were taken', async () => {
    const found: string[] = [];
    const pieces: string[] = [];
    const body: Body = (take) =>
      inPieces(
        'a\nb\nc\nd',
        [0.6],
      )((piece) => {
        pieces.push(Buffer.from(piece).toString());
        return take(piece);
      });
    await readLines(body, limits, (line) => found.push(line) < 2);
    expect({ found, pieces }).toEqual({ found: ['a', 'b'], pieces: ['a\nb\n'] });
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

it('refuses too many objects and lists before parsing them', () => {
  const text = `{"message":{"tool_calls":[${'{},'.repeat(300_000)}, and then no JSON`;
  const message = expect.stringContaining(
    'error: more than 300,000 objects and lists. It began: {"message":{',
  );
  expect(() => parseReplyObject(text)).toThrow(expect.objectContaining({ kind: 'bad_response', message }));
});

it('refuses an object with too many fields before parsing it', () => {
  const fields = Array.from({ length: 20_001 }, (_, at) => `"k${at}":0`).join();
  const message = expect.stringContaining(
    'error: an object with more than 20,000 fields. It began: {"message":{',
  );
  for (const text of [
    `{"message":{"tool_calls":[{"function":{"arguments":{${fields}}}}]}}`,
    `{"message":{${fields}, and then no JSON`,
  ]) {
    expect(() => parseReplyObject(text)).toThrow(expect.objectContaining({ kind: 'bad_response', message }));
  }
  const few = Array.from({ length: 3 }, () => `{${fields.slice(0, 150_000).replace(/,[^,]*$/, '')}}`).join();
  expect(parseReplyObject(`{"calls":[${few}]}`).calls).toHaveLength(3);
});
