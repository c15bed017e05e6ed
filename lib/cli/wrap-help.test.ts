import { expect, it } from 'vitest';
import { USAGE } from './usage-text.ts';
import { wrapHelp, wrapLines } from './wrap-help.ts';

it('fits the help into a terminal of any width, without losing anything', () => {
  for (let columns = 20; columns <= 160; columns += 1) {
    const wrapped = wrapHelp(USAGE, columns);
    expect(Math.max(...wrapped.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(wrapped.replace(/\s/g, '')).toBe(USAGE.replace(/\s/g, ''));
  }
});

it('continues a description below itself, and a command indented, with options and choices in one piece', () => {
  const help = [
    '  loupe list [--limit N] [--sort created|title] [--json]',
    '      --title TEXT  --tier trivial|standard',
    '      --set FIELD=JSON    any other field of the request',
  ];
  expect(wrapHelp(help.join('\n'), 36).split('\n')).toEqual([
    '  loupe list [--limit N]',
    '      [--sort created|title]',
    '      [--json]',
    '      --title TEXT',
    '      --tier trivial|standard',
    '      --set FIELD=JSON',
    '          any other field of the',
    '          request',
  ]);
  expect(wrapHelp(help.at(-1) ?? '', 58).split('\n')).toEqual([
    '      --set FIELD=JSON    any other field of the request',
  ]);
  expect(wrapHelp(help.at(-1) ?? '', 55).split('\n')).toEqual([
    '      --set FIELD=JSON',
    '          any other field of the request',
  ]);
});

it('continues lines below themselves, indented, and leaves them alone without a width', () => {
  const lines = [
    'One call  failed',
    '    It calls read_file once: it called 三国演义 twice',
    '- Choose a larger model.',
  ];
  expect(wrapLines(lines, 28)).toEqual([
    'One call  failed',
    '    It calls read_file once:',
    '      it called 三国演义',
    '      twice',
    '- Choose a larger model.',
  ]);
  expect(wrapLines(lines)).toEqual(lines);
});
