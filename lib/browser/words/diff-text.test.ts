import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffText } from './diff-text.ts';

const side = (pieces: ReturnType<typeof diffText>, without: 'added' | 'removed') =>
  pieces
    .filter((piece) => piece.kind !== without)
    .map((piece) => piece.text)
    .join('');

it('marks the signs that a repair changed, and nothing between them', () => {
  expect(diffText(`{'path': 'a.md'}`, `{"path": "a.md"}`).filter(({ kind }) => kind === 'same')).toEqual([
    { kind: 'same', text: '{' },
    { kind: 'same', text: 'path' },
    { kind: 'same', text: ': ' },
    { kind: 'same', text: 'a.md' },
    { kind: 'same', text: '}' },
  ]);
});

it('preserves both texts, whatever they are', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '"', '{', '😀', '\n') });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pieces = diffText(before, after);
      expect(side(pieces, 'added')).toBe(before);
      expect(side(pieces, 'removed')).toBe(after);
    }),
  );
});

it('stays fast on long texts with nothing in common', () => {
  const pieces = diffText('a '.repeat(20_000), 'b '.repeat(20_000));
  expect(side(pieces, 'added')).toHaveLength(40_000);
});
