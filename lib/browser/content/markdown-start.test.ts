import fc from 'fast-check';
import { expect, it } from 'vitest';
import { blockStarts, firstBlocks, lastBlocks } from './markdown-start.ts';

const source = 'one\n\ntwo\nthree\n\n```js\na\n\nb\n```\n\nfour';

it('cuts Markdown at blank lines, but not inside of a code block', () => {
  expect(blockStarts(source).map((start) => source.slice(start, start + 4).trim())).toEqual([
    'one',
    'two',
    '```j',
    'four',
  ]);
});

it('selects as many whole blocks as fit, from the start or from the end', () => {
  expect(firstBlocks(source, { chars: 20 })).toBe('one\n\ntwo\nthree');
  expect(firstBlocks(source, { chars: 2 })).toBe('on');
  expect(firstBlocks(source, { chars: source.length - 3, slack: 5 })).toBe(source);
  expect(lastBlocks(source, 8)).toBe('four');
  expect(lastBlocks(source, 30)).toBe('```js\na\n\nb\n```\n\nfour');
  expect(lastBlocks('x'.repeat(50), 10)).toBe('x'.repeat(10));
});

it('returns a start and an end of any text', () => {
  const parts = fc.array(fc.constantFrom('a', '\n', '\n\n', '```', '~~~', ' '), { maxLength: 40 });
  fc.assert(
    fc.property(parts, fc.nat(30), (all, chars) => {
      const text = all.join('');
      expect(text.startsWith(firstBlocks(text, { chars }))).toBe(true);
      expect(text.endsWith(lastBlocks(text, chars))).toBe(true);
    }),
  );
});
