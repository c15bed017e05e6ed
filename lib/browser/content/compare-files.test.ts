import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareFiles, type DiffLine } from './compare-files.ts';

const linesOf = (before: string | undefined, after: string | undefined) =>
  compareFiles(before, after).parts.flatMap(({ lines }) => lines);
const signs = { same: ' ', removed: '-', added: '+', header: '' };
const written = (lines: readonly DiffLine[]) => lines.map(({ kind, text }) => `${signs[kind]}${text}`);

it('aligns two versions line by line, with the line numbers of each', () => {
  const lines = linesOf('a\nb\nc\n', 'a\nB\nc\nd\n');
  expect(written(lines)).toEqual([' a', '-b', '+B', ' c', '+d']);
  expect(lines.map(({ before, after }) => [before, after])).toEqual([
    [1, 1],
    [2, undefined],
    [undefined, 2],
    [3, 3],
    [undefined, 4],
  ]);
});

it('shows a new file as added and a deleted file as removed', () => {
  expect(compareFiles(undefined, 'a\nb\n')).toMatchObject({ added: 2, removed: 0 });
  expect(compareFiles('a\nb', undefined)).toMatchObject({ added: 0, removed: 2 });
  expect(compareFiles(undefined, '').parts).toEqual([]);
});

it('folds unchanged lines that are far from any change', () => {
  const before = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
  const after = before.with(19, 'changed');
  const { parts } = compareFiles(before.join('\n'), after.join('\n'));
  expect(parts.map(({ folded, lines }) => [folded, lines.length])).toEqual([
    [true, 16],
    [false, 8],
    [true, 17],
  ]);
});

it('marks the words that changed within a line, and nothing where the lines have little in common', () => {
  const [removed, added] = linesOf('const limit = 5;\n', 'const limit = 10;\n');
  expect(removed?.pieces).toEqual([
    { kind: 'same', text: 'const limit = ' },
    { kind: 'removed', text: '5' },
    { kind: 'same', text: ';' },
  ]);
  expect(added?.pieces).toContainEqual({ kind: 'added', text: '10' });
  expect(linesOf('one thing\n', 'quite another matter\n').every(({ pieces }) => !pieces)).toBe(true);
});

it('reports a missing line break at the end apart from the lines', () => {
  const comparison = compareFiles('a\nb\n', 'a\nb');
  expect(comparison).toMatchObject({ added: 0, removed: 0, lacksLineEnd: 'after' });
});

it('shows versions that cannot be aligned in time as replaced', () => {
  const random = (seed: number) =>
    Array.from({ length: 6000 }, (_, index) => `${(index * 7919 + seed) % 104_729}`).join('\n');
  const comparison = compareFiles(random(1), random(50_000));
  expect(comparison).toMatchObject({ isReplaced: true, added: 6000, removed: 6000 });
});

it('keeps every line of both versions, whatever the texts', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '', ' x', '\r'), { maxLength: 30 })
    .map((all) => all.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = linesOf(before, after);
      const side = (without: DiffLine['kind']) =>
        lines.flatMap((line) => (line.kind === without ? [] : [line.text])).join('\n');
      expect(side('added')).toBe(before.replace(/\n$/, ''));
      expect(side('removed')).toBe(after.replace(/\n$/, ''));
      for (const { text: whole, pieces } of lines) {
        if (pieces) expect(pieces.map((piece) => piece.text).join('')).toBe(whole);
      }
    }),
  );
});
