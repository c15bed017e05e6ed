import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpuMs } from '../../testing/cpu-time.ts';
import { contentKind, typedText } from './content-kind.ts';

const kindOf = (name: string, text: string, path?: string) => contentKind({ name, text, path }).kind;
const PNG = 'data:image/png;base64,iVBORw0KGgo=';

it('shows the text of a file by its extension', () => {
  expect(contentKind({ name: 'content', text: 'x = 1', path: 'a/b.py', firstLine: 40 })).toEqual({
    kind: 'code',
    language: 'python',
    firstLine: 40,
  });
  expect(kindOf('content', '{"a": 1}', 'a.json')).toBe('code');
  expect(contentKind({ name: 'content', text: 'a,b', path: 'a.CSV' })).toEqual({
    kind: 'table',
    separator: ',',
  });
  expect(contentKind({ name: 'content', text: 'a\tb', path: 'a.tsv' })).toEqual({
    kind: 'table',
    separator: '\t',
  });
  expect(kindOf('content', 'Dear Ann', 'letter.txt')).toBe('text');
  expect(kindOf('content', 'x', 'data.unknown')).toBe('code');
});

it('shows the output of a program by its kind: colors, a diff, JSON', () => {
  expect(kindOf('stdout', '\u001b[31mred\u001b[0m')).toBe('ansi');
  expect(kindOf('stdout', 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n')).toBe('diff');
  expect(kindOf('stdout', '--- a\n+++ b\n@@ -1 +1 @@\n')).toBe('diff');
  expect(kindOf('stdout', ' {"a": [1]}\n')).toBe('json');
  expect(kindOf('stdout', 'a - b\n--- nothing\n')).toBe('text');
});

it('does not interpret escapes outside of program output', () => {
  expect(kindOf('content', '\u001b[31mred', 'a.txt')).toBe('text');
  expect(kindOf('task', '\u001b[31mred')).toBe('text');
});

it('shows a command as shell code, with line numbers if it has several lines', () => {
  expect(contentKind({ name: 'command', text: 'ls -l' })).toEqual({
    kind: 'code',
    language: 'bash',
    firstLine: undefined,
  });
  expect(contentKind({ name: 'command', text: 'ls\npwd' })).toMatchObject({ firstLine: 1 });
});

it('shows pictures from data URLs of pixel formats only', () => {
  expect(kindOf('content', PNG)).toBe('image');
  for (const other of [
    'data:image/svg+xml;base64,PHN2Zz4=',
    'data:text/html;base64,PGI+',
    'data:image/png,x',
    ` ${PNG}`,
  ]) {
    expect(kindOf('content', other), other).toBe('text');
  }
});

it('shows JSON as text if a tree would round its numbers or it cannot be parsed', () => {
  expect(kindOf('result', '{"id": 12345678901234567890}')).toBe('text');
  expect(kindOf('result', '{"a": }')).toBe('text');
  expect(kindOf('result', '"just text"')).toBe('text');
});

it('shows long texts plainly and says so, in the time of a frame', () => {
  for (const text of ['['.repeat(200_001), `${PNG}${'A'.repeat(8_000_000)}`]) {
    expect(contentKind({ name: 'stdout', text })).toEqual({ kind: 'text', isTooLong: true });
  }
  for (const unit of ['[', '{"a":', '--- a\n', '\u001b[', 'diff --git', ' ']) {
    const text = unit.repeat(Math.floor(200_000 / unit.length));
    expect(cpuMs(() => contentKind({ name: 'stdout', text }))).toBeLessThan(500);
  }
});

it('decides for any text, name and path', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (text, name, path) => {
      expect(contentKind({ text, name, path }).kind).toBeTypeOf('string');
    }),
  );
});

it('reads the bytes of an image from a field next to its type', () => {
  const bytes = 'iVBORw0KGgo'.repeat(8);
  expect(typedText(bytes, { mime_type: 'image/png' })).toBe(`data:image/png;base64,${bytes}`);
  expect(typedText(bytes, { mimeType: 'image/svg+xml' })).toBe(bytes);
  expect(
    typedText('A text of some length, with a type beside it.', { mime_type: 'image/png' }),
  ).not.toContain('data:');
  expect(typedText(bytes, {})).toBe(bytes);
});
