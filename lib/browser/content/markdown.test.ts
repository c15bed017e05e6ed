import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpuMs } from '../../testing/cpu-time.ts';
import { type Block, type Inline, parseMarkdown } from './markdown.ts';

const text = (value: string): Inline => ({ type: 'text', text: value });
const only = (source: string) => {
  const [block] = parseMarkdown(source) ?? [];
  return block;
};
/** All texts of a tree. */
const texts = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, part]) => (key === 'type' ? [] : texts(part)))
      : [];

it('reads headings, emphasis, code, lists and quotes', () => {
  expect(parseMarkdown('## Sum\n\n**a** *b* ~~c~~ `d`')).toEqual([
    { type: 'heading', level: 2, children: [text('Sum')] },
    {
      type: 'paragraph',
      children: [
        { type: 'strong', children: [text('a')] },
        text(' '),
        { type: 'em', children: [text('b')] },
        text(' '),
        { type: 'strike', children: [text('c')] },
        text(' '),
        { type: 'code', text: 'd' },
      ],
    },
  ]);
  expect(only('3. x\n4. y\n   - z')).toMatchObject({ type: 'list', start: 3, items: [{}, { length: 2 }] });
  expect(only('> a\n> > b')).toMatchObject({
    type: 'quote',
    children: [{ type: 'paragraph' }, { type: 'quote' }],
  });
  expect(only('```ts extra\nlet x = 1;\n```')).toEqual({ type: 'code', language: 'ts', text: 'let x = 1;' });
});

it('reads tables with their alignment', () => {
  expect(only('| a | b |\n|:--|--:|\n| 1 | **2** |')).toEqual({
    type: 'table',
    aligns: ['left', 'right'],
    head: [[text('a')], [text('b')]],
    rows: [[[text('1')], [{ type: 'strong', children: [text('2')] }]]],
  });
});

it('reads math in both notations, and leaves prices and shell variables alone', () => {
  expect(only('so $x^2$ and \\(y\\)')).toMatchObject({
    children: [{}, { type: 'math', text: 'x^2' }, {}, { type: 'math', text: 'y' }],
  });
  expect(only('$$\na+b\n$$')).toEqual({ type: 'math', text: 'a+b' });
  expect(only('\\[\na+b\n\\]')).toEqual({ type: 'math', text: 'a+b' });
  for (const plain of ['It costs $5 and $10.', 'cd $HOME/$USER now', 'set `$a` and `$b`', 'from $5-$10']) {
    expect(JSON.stringify(only(plain)), plain).not.toContain('"math"');
  }
});

it('treats HTML as text, and hides no part of the source', () => {
  const html = '<img src=x onerror=alert(1)> <!-- secret --> <b>bold</b>';
  expect(only(html)).toEqual({ type: 'paragraph', children: [text(html)] });
  expect(texts(parseMarkdown('[a]: http://192.0.2.1 "title"')).join('')).toContain('http://192.0.2.1');
});

it('keeps the addresses of links and images as data, and leaves those that run code as text', () => {
  expect(only('[a](http://192.0.2.1/x) ![b](http://192.0.2.1/y.png)')).toMatchObject({
    children: [
      { type: 'link', url: 'http://192.0.2.1/x', children: [text('a')] },
      text(' '),
      { type: 'image', url: 'http://192.0.2.1/y.png', text: 'b' },
    ],
  });
  expect(only('[a](javascript:alert(1))')).toEqual({
    type: 'paragraph',
    children: [text('[a](javascript:alert(1))')],
  });
});

it('gives up on texts that would block the page', () => {
  expect(parseMarkdown('x'.repeat(60_001))).toBeUndefined();
  expect(parseMarkdown('- a\n'.repeat(10_000))).toBeUndefined();
});

it('nests no deeper than a page can draw, whatever the text', () => {
  const depth = (blocks: readonly Block[]): number =>
    Math.max(
      0,
      ...blocks.map((block) =>
        block.type === 'quote'
          ? 1 + depth(block.children)
          : block.type === 'list'
            ? 1 + Math.max(0, ...block.items.map(depth))
            : 1,
      ),
    );
  for (const source of ['> '.repeat(5000), '- '.repeat(5000), '> - '.repeat(3000), '1. '.repeat(3000)]) {
    expect(depth(parseMarkdown(`${source}a`) ?? [])).toBeLessThan(30);
  }
});

const HOSTILE: Readonly<Record<string, string>> = {
  quotes: '>'.repeat(60_000),
  brackets: '['.repeat(60_000),
  images: '![a]('.repeat(12_000),
  links: '[]('.repeat(20_000),
  stars: '*a **b '.repeat(8000),
  alternating: '*_'.repeat(30_000),
  backticks: Array.from({ length: 300 }, (_, index) => '`'.repeat(index)).join(' '),
  lists: Array.from({ length: 240 }, (_, index) => `${' '.repeat(index * 2)}- a`).join('\n'),
  pipes: `${'|'.repeat(28_000)}\n${'|-'.repeat(14_000)}\n`,
  tildes: '~a~'.repeat(20_000),
  entities: '&a'.repeat(30_000),
  angles: '<a '.repeat(20_000),
  backslashes: '\\'.repeat(60_000),
  dollars: '$a '.repeat(20_000),
  parentheses: '\\('.repeat(30_000),
  setext: 'a\n===\n'.repeat(5000),
};

it.each(Object.entries(HOSTILE))('reads %s in the time of a frame or two', (_name, source) => {
  expect(cpuMs(() => parseMarkdown(source))).toBeLessThan(1000);
});

it('keeps every word of the text, whatever the marks around it', () => {
  const word = fc.stringMatching(/^[a-z]{1,6}$/);
  const mark = fc.constantFrom(
    '*',
    '**',
    '_',
    '`',
    '\n',
    '\n\n',
    '- ',
    '> ',
    '|',
    '# ',
    '~~',
    '[',
    ']',
    '(',
    ')',
    '<',
    '!',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(word, mark), { maxLength: 40 }), (parts) => {
      const shown = texts(parseMarkdown(parts.join(' '))).join(' ');
      for (const part of parts) if (/^[a-z]/.test(part)) expect(shown).toContain(part);
    }),
  );
});
