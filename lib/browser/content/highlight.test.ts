import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpuMs } from '../../testing/cpu-time.ts';
import { highlightLines } from './highlight.ts';
import { type Language, languageOfName, languageOfPath } from './language.ts';

const LANGUAGES: readonly Language[] = [
  'bash',
  'c',
  'cpp',
  'csharp',
  'css',
  'go',
  'java',
  'javascript',
  'json',
].flatMap((name) => languageOfName(name) ?? []);

it('distinguishes keywords, strings, numbers and comments, line by line', () => {
  expect(highlightLines('const a = "x"; // why\nlet b = 1;', 'javascript')).toEqual([
    [
      { text: 'const', role: 'keyword' },
      { text: ' a = ', role: undefined },
      { text: '"x"', role: 'string' },
      { text: '; ', role: undefined },
      { text: '// why', role: 'comment' },
    ],
    [
      { text: 'let', role: 'keyword' },
      { text: ' b = ', role: undefined },
      { text: '1', role: 'number' },
      { text: ';', role: undefined },
    ],
  ]);
});

it('keeps every character of the code, in any language', () => {
  const code = fc.array(
    fc.constantFrom('/*', '*/', '"', "'", '`', '${', '}', '<', '>', '\n', ' ', 'if', '1', '#', '\\'),
    {
      maxLength: 60,
    },
  );
  fc.assert(
    fc.property(code, fc.constantFrom(...LANGUAGES), (parts, language) => {
      const text = parts.join('');
      const lines = highlightLines(text, language) ?? [];
      expect(lines.map((line) => line.map((piece) => piece.text).join('')).join('\n')).toBe(text);
    }),
  );
});

it('leaves long code and long lines plain', () => {
  expect(highlightLines('a\n'.repeat(20_001), 'javascript')).toBeUndefined();
  expect(highlightLines('a'.repeat(1001), 'javascript')).toBeUndefined();
});

it.each([
  ['javascript', `${'<a '.repeat(250)}\n`.repeat(20)],
  ['javascript', `${'('.repeat(500)}\n`.repeat(30)],
  ['typescript', `${'a<'.repeat(450)}\n`.repeat(20)],
  ['python', `${'f"{'.repeat(300)}\n`.repeat(20)],
  ['markdown', `${'[a]('.repeat(245)}\n`.repeat(20)],
  ['markdown', `${'*_'.repeat(450)}\n`.repeat(20)],
  ['xml', `${'<!-- '.repeat(195)}\n`.repeat(20)],
  ['css', `${'a{'.repeat(450)}\n`.repeat(20)],
  ['cpp', `${'a<b '.repeat(245)}\n`.repeat(20)],
  ['csharp', `${'a.b<'.repeat(245)}\n`.repeat(20)],
  ['java', `${'@a('.repeat(300)}\n`.repeat(20)],
  ['sql', `${"'a ".repeat(300)}\n`.repeat(20)],
  ['bash', `${'$('.repeat(450)}\n`.repeat(20)],
  ['yaml', `${'- '.repeat(450)}\n`.repeat(20)],
  ['ruby', `${'%w('.repeat(300)}\n`.repeat(20)],
  ['php', `${'<?php '.repeat(165)}\n`.repeat(20)],
] satisfies [Language, string][])('highlights hostile %s in time', (language, code) => {
  expect(cpuMs(() => highlightLines(code, language))).toBeLessThan(3000);
});

it('knows a language by its name, an alias, a file name or an extension', () => {
  expect(languageOfName('TS')).toBe('typescript');
  expect(languageOfPath('src/app.py')).toBe('python');
  expect(languageOfPath('a/Dockerfile')).toBe('dockerfile');
  expect(languageOfPath('C:\\b\\x.toml')).toBe('ini');
  for (const none of ['', 'README', '__proto__', 'a.constructor', '.'])
    expect(languageOfPath(none)).toBeUndefined();
});
