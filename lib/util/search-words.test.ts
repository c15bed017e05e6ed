import fc from 'fast-check';
import { expect, it } from 'vitest';
import { excerpt, markWords, searchWords } from './search-words.ts';

it('treats words as prefixes and quoted phrases as exact', () => {
  expect(searchWords('read_file "two words" x*')).toEqual([
    { parts: ['read', 'file'], begins: true },
    { parts: ['two', 'words'], begins: false },
    { parts: ['x'], begins: true },
  ]);
  expect(searchWords('"open quote')).toEqual([{ parts: ['open', 'quote'], begins: false }]);
  expect(searchWords('*** "" ()')).toEqual([]);
  expect(searchWords('a '.repeat(400))).toHaveLength(16);
});

it('marks matching words, ignoring case and accents', () => {
  const text = 'Café CAFETERIA decaf, cafe';
  const marked = markWords(text, searchWords('cafe')).map(([from, to]) => text.slice(from, to));
  expect(marked).toEqual(['Café', 'CAFETERIA', 'cafe']);
  expect(markWords('read the file', searchWords('read_file'))).toEqual([]);
});

it('shortens any text to one line, with all marks inside it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 800 }), fc.string({ maxLength: 8 }), (text, query) => {
      const shown = excerpt(text, searchWords(query));
      expect(shown.text).not.toMatch(/[\n\r\0]/);
      expect(shown.text.length).toBeLessThan(245);
      for (const [from, to] of shown.ranges) expect(shown.text.slice(from, to)).not.toBe('');
    }),
  );
});
