import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpuMs } from '../testing/cpu-time.ts';
import { plainText } from './plain-text.ts';

it('removes colors, cursor movements, titles and links', () => {
  expect(plainText('\u001b[1;31mred\u001b[0m and \u001b[2K\u001b[1Gblue')).toBe('red and blue');
  expect(plainText('\u001b]0;title\u0007text')).toBe('text');
  expect(plainText('\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\!')).toBe('link!');
  expect(plainText('\u001b(B\u001b=a\u009b31mb')).toBe('ab');
});

it('normalizes line breaks, and keeps the final state of a progress bar', () => {
  expect(plainText('a\r\nb\r\r\nc')).toBe('a\nb\nc');
  expect(plainText('10%\r50%\r100%\ndone\r')).toBe('100%\ndone');
});

it('keeps tabs, line feeds and every visible character', () => {
  expect(plainText('\tü 漢 🙂\n')).toBe('\tü 漢 🙂\n');
  expect(plainText('a\u0000b\u0007c\u007fd')).toBe('abcd');
});

it('removes all control characters from any text, and never lengthens it', () => {
  const nasty = fc.string({
    unit: fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '\\',
      '\u0007',
      '\r',
      '\n',
      'm',
      '1',
      ';',
      '\u009b',
      '\u009c',
      'é',
      'P',
    ),
  });
  fc.assert(
    fc.property(fc.oneof(nasty, fc.string({ unit: 'binary' })), (text) => {
      const plain = plainText(text);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is left is the point
      expect(plain).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      expect(plain.length).toBeLessThanOrEqual(text.length);
    }),
  );
});

it('is linear, even for a megabyte of unfinished escape sequences', () => {
  for (const piece of ['\u001b]', '\u001b[', '\u001b[1', '\r', '\u001b']) {
    const text = piece.repeat(1_000_000);
    expect(cpuMs(() => plainText(text))).toBeLessThan(10_000);
  }
});
