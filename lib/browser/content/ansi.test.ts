import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ansiPieces } from './ansi.ts';

const pieces = (text: string) => ansiPieces(text) ?? [];

it('reads colors, weights and resets', () => {
  expect(pieces('a \u001b[1;31mred\u001b[0m b \u001b[92mgreen\u001b[39m')).toMatchObject([
    { text: 'a ', color: undefined, isBold: false },
    { text: 'red', color: 'red', isBold: true },
    { text: ' b ', color: undefined, isBold: false },
    { text: 'green', color: 'green' },
  ]);
});

it('reduces palettes and true colors to the eight that the page draws readably', () => {
  const colors = [
    '38;5;196',
    '38;2;10;200;10',
    '38;5;21',
    '38;2;250;250;250',
    '38;2;1;1;1',
    '38;2;255;165;0',
  ];
  expect(pieces(colors.map((code) => `\u001b[${code}mx`).join('')).map(({ color }) => color)).toEqual([
    'red',
    'green',
    'blue',
    'white',
    'black',
    'yellow',
  ]);
});

it('shows text that is to be hidden, and keeps all other escapes in the text', () => {
  expect(pieces('\u001b[8mhidden\u001b[0m')[0]?.text).toBe('hidden');
  for (const sequence of [
    '\u001b[2J',
    '\u001b]0;title\u0007',
    '\u001b]8;;http://192.0.2.1\u001b\\',
    '\u001b[5A',
    '\u001bc',
  ]) {
    expect(
      pieces(`a${sequence}b`)
        .map(({ text }) => text)
        .join(''),
    ).toBe(`a${sequence}b`);
  }
});

it('keeps all text and drops only colors', () => {
  const parts = fc.array(
    fc.constantFrom('a', '\n', '\u001b[', '31m', '\u001b[0m', ';', '\u001b', '[', '!', '?25h', '9'),
    {
      maxLength: 40,
    },
  );
  fc.assert(
    fc.property(parts, (all) => {
      const text = all.join('');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
      const plain = text.replaceAll(/\u001b\[[\d;]*m/g, '');
      expect(
        pieces(text)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(plain);
    }),
  );
});

it('gives up on more changes than a page can draw', () => {
  expect(ansiPieces('\u001b[31mx'.repeat(6000))).toBeUndefined();
});
