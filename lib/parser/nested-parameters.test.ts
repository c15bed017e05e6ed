import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseToolCalls } from './parse-tool-calls.ts';
import { scan } from './scan.ts';
import { TOOLS } from './testing/tools.ts';
import { ToolIndex } from './tool-index.ts';
import type { ToolCall } from './types.ts';

const writing = (content: string): ToolCall => ({
  name: 'write_file',
  arguments: { path: 'a.xml', content },
});

const qwen3Coder = (content: string) =>
  `<tool_call>\n<function=write_file>\n<parameter=path>\na.xml\n</parameter>\n<parameter=content>\n${content}\n</parameter>\n</function>\n</tool_call>`;
const contentFirst = (content: string) =>
  `<tool_call>\n<function=write_file>\n<parameter=content>\n${content}\n</parameter>\n<parameter=path>\na.xml\n</parameter>\n</function>\n</tool_call>`;

const DIALECTS: { [name: string]: (content: string) => string } = {
  'qwen3-coder': qwen3Coder,
  'qwen3-coder, content first': contentFirst,
  'function-tag': (content) =>
    `<function name="write_file"><param name="path">a.xml</param><param name="content">${content}</param></function>`,
  'anthropic-xml': (content) =>
    `<function_calls>\n<invoke name="write_file">\n<parameter name="path">a.xml</parameter>\n<parameter name="content">${content}</parameter>\n</invoke>\n</function_calls>`,
  minimax: (content) =>
    `<minimax:tool_call>\n<invoke name="write_file">\n<parameter name="path">a.xml</parameter>\n<parameter name="content">${content}</parameter>\n</invoke>\n</minimax:tool_call>`,
  'deepseek-dsml': (content) =>
    `<｜DSML｜function_calls>\n<｜DSML｜invoke name="write_file">\n<｜DSML｜parameter name="path" string="true">a.xml</｜DSML｜parameter>\n<｜DSML｜parameter name="content" string="true">${content}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
  glm: (content) =>
    `<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>a.xml</arg_value>\n<arg_key>content</arg_key>\n<arg_value>${content}</arg_value>\n</tool_call>`,
  'tool-named-xml': (content) =>
    `<write_file>\n<parameter name="path">a.xml</parameter>\n<parameter name="content">${content}</parameter>\n</write_file>`,
};
const dialects = Object.entries(DIALECTS);

/** The calls of a reply, or `malformed`. */
function read(content: string): ToolCall[] | string {
  const reply = parseToolCalls({ content }, { tools: TOOLS });
  if (reply.type === 'tool_calls') return reply.calls;
  return reply.malformed ? 'malformed' : reply.type;
}

const WHOLE: [title: string, content: string][] = [
  ['a parameter element', '<doc>\n<parameter name="x">1</parameter>\n<b/>\n</doc>'],
  [
    'parameter elements without a name',
    '<plugin>\n <parameter>v</parameter>\n <parameter>w</parameter>\n</plugin>',
  ],
  ['nested parameter elements', '<a><parameter=x>1 <parameter=y>2</parameter> 3</parameter></a>'],
  ['a parameter element with another attribute', '<a><parameter id="q">1</parameter><b/></a>'],
  ['an empty parameter element', '<a>\n<parameter name="x"/>\n<parameter name="y" value="a>b" />\n</a>'],
  ['an element named like a parameter of the tool', '<doc>\n<parameter name="path">1</parameter>\n</doc>'],
  ['a parameter element in the middle of a line', '<doc> <parameter name="x">1</parameter>\n</doc>'],
  ['an opening tag in prose', 'Use <parameter=path> here.'],
  ...dialects.map(([name, write]): [string, string] => [
    `a whole call in the ${name} dialect`,
    `Example:\n${write('x')}\nEnd.`,
  ]),
];

describe.each(dialects)('keeps text with tags of parameters whole: %s', (_, write) => {
  it.each(WHOLE)('%s', (_, content) => {
    expect(read(write(content))).toEqual([writing(content)]);
  });

  it.each([
    ['a closing tag in prose', 'a </parameter> b'],
    ['a closing tag before markup', 'a</parameter>\n<b/>'],
    ['a closing tag and an opening tag', 'a </parameter> b <parameter=q>'],
    ['an opening tag of a parameter of the tool', 'Example:\n<parameter=path>\nb.xml'],
    ['an opening tag of another parameter', 'Example:\n<parameter=x>\n1'],
    ['the end of a call', 'a\n</parameter>\n</function>\n</tool_call>\nb'],
    ['the end of an invocation', 'a\n</parameter>\n</invoke>\n</function_calls>\nb'],
    ['the end of a pair', 'a\n</arg_value>\n</tool_call>\nb'],
    ['a closing tag of a pair in prose', 'a </arg_value> b'],
    ['an HTML object', '<object><param name="movie" value="a.swf"></object>'],
    ['the end of an element named like the tool', 'a\n</parameter>\n</write_file>\nb'],
  ])('%s, or refuses the call', (_, content) => {
    const calls = read(write(content));
    if (calls !== 'malformed') expect(calls).toEqual([writing(content)]);
  });

  it('any nested XML with tags in comments and attributes, or refuses the call', () => {
    fc.assert(
      fc.property(xml, (content) => {
        const calls = read(write(content));
        if (calls !== 'malformed') expect(calls).toEqual([writing(content)]);
      }),
      { numRuns: 500 },
    );
  });

  it('any nested XML without them', () => {
    fc.assert(
      fc.property(plainXml, (content) => {
        expect(read(write(content))).toEqual([writing(content)]);
      }),
      { numRuns: 500 },
    );
  });
});

/** Dialects that write a value on separate lines. */
const LAYOUTS: { [name: string]: (content: string) => string } = {
  'qwen3-coder': qwen3Coder,
  'qwen3-coder, content first': contentFirst,
  minimax: (content) =>
    `<minimax:tool_call>\n<invoke name="write_file">\n<parameter name="path">\na.xml\n</parameter>\n<parameter name="content">\n${content}\n</parameter>\n</invoke>\n</minimax:tool_call>`,
};

describe.each(Object.entries(LAYOUTS))('two closing tags in a row: %s', (_, write) => {
  it.each([
    ['words', 'An example: <b>a</b> </parameter>'],
    ['several lines', 'a\n\nAn example: </parameter>'],
    ['a line that has another one', 'Neither </parameter> nor </parameter>'],
    ['a line after another one', 'a </parameter>\nb </parameter>'],
  ])('the first belongs to the value if it ends a line of text: %s', (_title, content) => {
    expect(read(write(content))).toEqual([writing(content)]);
  });

  it('the first belongs to the value after any lines of text, or the call is refused', () => {
    const word = fc.constantFrom('a', 'b c', '1 < 2', '<br/>', '</parameter>', '"', '&lt;');
    const line = fc.array(word, { maxLength: 4 }).map((words) => ['See', ...words, 'this'].join(' '));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
        const content = `${lines.join('\n')} </parameter>`;
        const calls = read(write(content));
        if (calls !== 'malformed') expect(calls).toEqual([writing(content)]);
      }),
      { numRuns: 500 },
    );
  });

  it.each(['content', 'x'])(
    'refuses the call if the value is that of a parameter given already, or unknown: %s',
    (key) => {
      const content = `a\n</parameter>\n<parameter=${key}>\n<b/> </parameter>`;
      expect(read(write(content))).toBe('malformed');
    },
  );

  it('the second is surplus if both have lines of their own, or the first follows the value directly', () => {
    expect(read(write('a\n</parameter>'))).toEqual([writing('a')]);
    expect(read(write('a\n  </parameter>'))).toEqual([writing('a\n  ')]);
    expect(read(write('a</parameter>'))).toEqual([writing('a')]);
  });
});

describe('keeps text whole that has elements with its own name', () => {
  const write = (content: string) =>
    `<write_file>\n<path>a.xml</path>\n<content>\n${content}\n</content>\n</write_file>`;

  it.each([
    ['one after another', '<feed>\n<content>a</content>\n<content>b</content>\n</feed>'],
    ['inside one another', '<content><content>a</content></content>'],
    ['with attributes', '<entry><content type="html">a</content></entry>'],
    ['without an end', 'Put the text into <content> here.'],
    ['empty', '<content/> and <content type="b" />'],
    ['of another parameter', '<path>b.xml</path>'],
  ])('%s', (_, content) => {
    expect(read(write(content))).toEqual([writing(content)]);
  });

  it('in any nested XML', () => {
    fc.assert(
      fc.property(elementsXml, (content) => {
        expect(read(write(content))).toEqual([writing(content)]);
      }),
    );
  });
});

const name = fc.constantFrom('x', 'name', 'start_line', 'q-1');
const element = fc.oneof(
  fc.constantFrom(
    ['<doc>', '</doc>'],
    ['<function>', '</function>'],
    ['<content>', '</content>'],
    ['<parameter>', '</parameter>'],
  ),
  name.map((value) => [`<parameter=${value}>`, '</parameter>']),
  name.map((value) => [`<parameter name="${value}">`, '</parameter>']),
  name.map((value) => [`<parameter id="${value}">`, '</parameter>']),
  name.map((value) => [`<param name='${value}'>`, '</param>']),
  name.map((value) => [`<function=${value}>`, '</function>']),
  name.map((value) => [`<arg_value>${value}`, '</arg_value>']),
);
const words = fc.constantFrom(
  'a',
  'b c',
  '1 < 2',
  ' ',
  '\n',
  '\n  ',
  '<br/>',
  '<parameter name="x"/>',
  '&lt;',
);
const comment = fc.constantFrom('<!-- <parameter=x> -->', '<!-- </parameter> -->', '<a b="<parameter>"/>');
const nested = (leaf: fc.Arbitrary<string>) =>
  fc.letrec<{ node: string; nodes: string }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.tuple(element, tie('nodes')).map(([[open = '', close = ''], inner]) => open + inner + close),
    ),
    nodes: fc.array(tie('node'), { maxLength: 4 }).map((parts) => parts.join('')),
  })).nodes;
// One line break at each end of a value is layout.
const plainXml = nested(words).map((inner) => `<root>${inner}</root>`);
const xml = nested(fc.oneof(words, comment)).map((inner) => `<root>${inner}</root>`);

it('refuses a call whose parameters text follows', () => {
  const call = (after: string) =>
    `<function=write_file><parameter=path>a</parameter><parameter=content>b</parameter>${after}</function>`;
  expect(read(call(''))).toHaveLength(1);
  expect(read(call('</parameter>'))).toHaveLength(1);
  expect(read(call('\nmore text\n'))).toBe('malformed');
  expect(read(call('\n<c/></parameter>'))).toBe('malformed');
});

it('reads nothing from the rest of a call that is unclear', () => {
  const inner = '<tool_call>{"name": "list_directory", "arguments": {}}</tool_call>';
  expect(read(qwen3Coder(`Example:\n<parameter=x>\n${inner}`))).toBe('malformed');
});

it('still reads several calls with parameters in a reply', () => {
  for (const [, write] of dialects) {
    expect(read(`${write('a')}\n${write('b')}`)).toEqual([writing('a'), writing('b')]);
  }
});

it.each([
  '<parameter=x>',
  '</parameter>',
  '<parameter=x>1</parameter>',
  '<parameter=content><parameter=x></parameter>',
  '<function=write_file><parameter=content>\n<parameter=x>1</parameter>\n</parameter>',
  '<function=write_file><parameter=content>a</parameter> b </parameter>',
  'a </parameter>\n</parameter>\n',
  '<function=write_file><parameter=content>\na </parameter>\n</parameter>',
  '<invoke name="write_file"><parameter name="content"><parameter name="x">1</parameter> a</parameter></invoke>',
  '<parameter name="',
  '<tool_call>f<arg_key>a</arg_key><arg_value><arg_value>1</arg_value></arg_value>',
  '</arg_value> a',
  '<!-- <parameter=x> --></parameter>',
  '<parameter=x><!--',
  '<write_file><parameter name="path">a</parameter></write_file>',
  '<write_file><parameter name="path"><parameter name="x">a</parameter></write_file>',
])('does work proportional to the length of repeated %s', (unit) => {
  const inside = (chars: number) => qwen3Coder(unit.repeat(chars / unit.length));
  const alone = (chars: number) => unit.repeat(chars / unit.length);
  const inPair = (chars: number) => DIALECTS.glm?.(unit.repeat(chars / unit.length)) ?? '';
  for (const make of [inside, alone, inPair]) {
    const work = (chars: number) =>
      scan(make(chars), { tools: new ToolIndex(TOOLS), layers: new Set(['json', 'xml']) }).work;
    expect(work(24_000)).toBeLessThanOrEqual(2.1 * work(12_000) + 2000);
    expect(work(12_000)).toBeLessThanOrEqual(14 * 12_500);
  }
});
const elementsXml = nested(words.filter((text) => text !== '&lt;')).map((inner) => `<root>${inner}</root>`);
