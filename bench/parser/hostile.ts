import { tool } from '../../lib/parser/testing/tools.ts';

/** Texts made to be slow to read, each in any size. The same list serves the benchmark and the tests. */
export interface HostileGroup {
  name: string;
  /** @param chars about how long the text becomes */
  make(chars: number): string;
}

const repeated = (unit: string) => (chars: number) => unit.repeat(Math.ceil(chars / unit.length));
const repeat = (unit: string): HostileGroup => ({
  name: `repeated ${JSON.stringify(unit)}`,
  make: repeated(unit),
});

const CALL = '{"name": "read_file", "arguments": {"path": "a.txt"}}';

const CHARACTERS = [...'{}[]()<>"\'`\\\n /|:,;=﻿｜“”'].map(repeat);

const OPENERS = [
  '<tool_call>',
  '</tool_call>',
  '<tool_call>{',
  '<think>',
  '</think>',
  '<think></think>',
  '<think><think></think>',
  '[THINK]',
  '<reasoning>',
  '[TOOL_CALLS]',
  '[TOOL_CALLS][',
  '<function=read_file>',
  '<function=read_file><parameter=path>',
  '<invoke name="read_file"><parameter name="path">',
  '<parameter=path>',
  '<｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n',
  '<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{',
  '<tool_call>read_file<arg_key>path</arg_key><arg_value>',
  '<arg_key>',
  '<|channel|>analysis<|message|>',
  '<|start|>assistant',
  '<|open|>call tool="read_file"<|sep|>',
  '<start_function_call>call:read_file{path:<escape>',
  '<|tool_call>call:read_file{path:<|"|>',
  '<read_file>',
  '<read_file><path>',
  '<read_file path="',
  '<minimax:tool_call>',
  ']<]minimax[>[',
  '<a:tool_call>',
  'functions.read_file:0{',
  'functions.read_file:0',
  'functools[',
  '>>>read_file\n{',
  'read_file\n{',
  'read_file\n<path>',
  'Action: read_file\nAction Input: ',
  'Action: read_file\nAction Input: {',
  '[read_file(',
  '[read_file(path=',
  'read_file(',
  'print(read_file(',
  '```',
  '```json\n',
  '```python\n',
  '```tool_code\nread_file(',
  '`x',
  '``x`',
  '<tool_response>',
  '<![CDATA[',
  'call:read_file{\n',
  'Tool: read_file\nArguments: {\n',
  '<tool_call name="read_file">{',
  '<tool_call><name>read_file</name><parameter=path>',
  '<read_file><arguments>',
  '<read_file>{"path":"a"}x',
  '<｜tool▁sep｜>read_file{',
  '<｜DSML｜invoke name="read_file">',
  '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">\n',
  '<｜DSML｜invoke name="read_file"><｜DSML｜parameter name="path" string="true">',
  '<|tool_call_begin|>functions.read_file:0',
  '<|tool_call_begin|>functions.read_file:0\n',
  '<|tool_calls_section_begin|><|tool_call_begin|>',
  '<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a"}<|tool_call_end|>',
  '<think><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{}',
  'assistant to=functions.read_file',
  'to=functions.read_file<|channel|>',
  'read_file[ARGS]',
  'read_file[ARGS]{"path": ',
  '<functionname="read_file"><paramname="path">',
].map(repeat);

const ALMOST = [
  '{"name": "read_file", "arguments": {"path": "a',
  '{"name": "read_file", "arguments": {"path": "a"}',
  '{"name": "read_file", "arguments": {"path": "a"},',
  '{"name":{"name":',
  '{"a":{"a":',
  '{"a":[',
  '[{"a":',
  '{"',
  '{"a',
  "{'a",
  '{“a',
  '{"""',
  '{/*',
  '{//',
  '{"\\',
  '{"a":"\\u',
  '{ {} ',
  '[[1],',
  '<tool_call>{"name": "read_file", "arguments": {"path": "a "b" c',
  '<tool_call>{"a": "b" "c',
  '<tool_call>[{"name": oops}, ',
  '[{"name": "read_file", "arguments": oops}, ',
  '{"name": "other", "arguments": {}}',
  '<tool_call>x</tool_call>',
  '<x',
  '<x y="',
  'a=1, ',
  '1e9',
].map(repeat);

const NESTED: HostileGroup[] = [
  { name: 'nested arrays, closed', make: (chars) => '['.repeat(chars / 2) + ']'.repeat(chars / 2) },
  {
    name: 'nested objects, closed',
    make: (chars) => `${'{"a":'.repeat(chars / 6)}1${'}'.repeat(chars / 6)}`,
  },
  {
    name: 'nested arguments in a tag',
    make: (chars) =>
      `<tool_call>{"name":"read_file","arguments":${'{"a":'.repeat(chars / 6)}1${'}'.repeat(chars / 6)}}</tool_call>`,
  },
  {
    name: 'nested elements',
    make: (chars) => `${'<path>'.repeat(chars / 13)}${'</path>'.repeat(chars / 13)}`,
  },
  {
    name: 'nested elements in a tool element',
    make: (chars) =>
      `<nested_tool><data>${'<a>'.repeat(chars / 7)}x${'</a>'.repeat(chars / 7)}</data></nested_tool>`,
  },
  { name: 'nested think', make: (chars) => '<think>'.repeat(chars / 15) + '</think>'.repeat(chars / 15) },
];

const LONG: HostileGroup[] = [
  { name: 'spaces', make: repeated(' ') },
  { name: 'spaces before a call', make: (chars) => ' '.repeat(chars) + CALL },
  { name: 'spaces behind a call', make: (chars) => `<tool_call>${CALL}${' '.repeat(chars)}x` },
  { name: 'spaces behind a call in Python', make: (chars) => `[read_file(path='a')${' '.repeat(chars)}x` },
  { name: 'spaces behind a name', make: (chars) => `<tool_call>read_file${' '.repeat(chars)}x` },
  { name: 'spaces within a call in Python', make: (chars) => `[read_file(path${' '.repeat(chars)}='a')]` },
  { name: 'spaces behind a key', make: (chars) => `{"name"${' '.repeat(chars)}` },
  { name: 'spaces behind a tag', make: (chars) => `<tool_call>${' '.repeat(chars)}${CALL}` },
  {
    name: 'one long value',
    make: (chars) =>
      JSON.stringify({ name: 'write_file', arguments: { path: 'a', content: 'x'.repeat(chars) } }),
  },
  {
    name: 'one long value of escapes',
    make: (chars) =>
      JSON.stringify({ name: 'write_file', arguments: { path: 'a', content: '\n"'.repeat(chars / 4) } }),
  },
  {
    name: 'one long value of unescaped quotes',
    make: (chars) =>
      `<tool_call>{"name":"write_file","arguments":{"path":"a","content":"${'a "b" '.repeat(chars / 6)}"}}</tool_call>`,
  },
  {
    name: 'one long value, cut',
    make: (chars) => `<tool_call>{"name":"write_file","arguments":{"content":"${'x'.repeat(chars)}`,
  },
  {
    name: 'one long number',
    make: (chars) => `{"name":"read_file","arguments":{"start_line":${'9'.repeat(chars)}}}`,
  },
  {
    name: 'one long name',
    make: (chars) => `<tool_call>{"name":"${'x'.repeat(chars)}","arguments":{}}</tool_call>`,
  },
  { name: 'one long word', make: repeated('x') },
  { name: 'one long tag', make: (chars) => `<${'x'.repeat(chars)}>` },
  { name: 'many calls', make: repeated(`${CALL}\n`) },
  { name: 'many calls in tags', make: repeated(`<tool_call>${CALL}</tool_call>\n`) },
  { name: 'many calls in one tag', make: (chars) => `<tool_call>${repeated(CALL)(chars)}</tool_call>` },
  {
    name: 'many calls in one list',
    make: (chars) => `[${Array.from({ length: chars / 60 }, () => CALL).join(',')}]`,
  },
  {
    name: 'many calls in one broken list',
    make: (chars) => `[${Array.from({ length: chars / 60 }, () => CALL).join(',')}, oops]`,
  },
  {
    name: 'many calls before a closing think tag',
    make: (chars) => `${repeated(`${CALL}\n`)(chars)}</think>`,
  },
  { name: 'many calls between closing think tags', make: repeated(`x ${CALL} y</think>`) },
  {
    name: 'many keys',
    make: (chars) =>
      `{"name":"read_file","arguments":{${Array.from({ length: chars / 14 }, (_, i) => `"k${i}":"v"`).join(',')}}}`,
  },
  {
    name: 'many keys in Python',
    make: (chars) => `[read_file(${Array.from({ length: chars / 11 }, (_, i) => `k${i}='v'`).join(', ')})]`,
  },
  {
    name: 'many keys, each a number as text',
    make: (chars) =>
      `{"name":"read_file","arguments":{${Array.from({ length: chars / 14 }, (_, i) => `"k${i}":"1"`).join(',')}}}`,
  },
  {
    name: 'many keys, each a parameter',
    make: (chars) =>
      `<function=read_file>${Array.from({ length: chars / 32 }, (_, i) => `<parameter=k${i}>v</parameter>`).join('')}</function>`,
  },
  {
    name: 'many think tags in a JSON value',
    make: (chars) =>
      JSON.stringify({
        name: 'write_file',
        arguments: { path: 'a', content: repeated('<think>x</think>')(chars) },
      }),
  },
  {
    name: 'many think tags in a parameter',
    make: (chars) =>
      `<tool_call><function=write_file><parameter=path>a</parameter><parameter=content>${repeated('<think>x</think>')(chars)}</parameter></function></tool_call>`,
  },
  {
    name: 'ordinary HTML',
    make: repeated(
      '<div class="row"><p>Hello <b>world</b>, <a href="https://example.org/?x=1">a link</a>.</p><br/></div>\n',
    ),
  },
  { name: 'ordinary HTML of code', make: repeated('<pre><code>const a = b < c;</code></pre>\n') },
  {
    name: 'many parameters',
    make: (chars) => `<function=read_file>${repeated('<parameter=path>a</parameter>')(chars)}</function>`,
  },
  {
    name: 'many repairs',
    make: (chars) =>
      `<tool_call>{"name":"read_file","arguments":{"path":[${repeated("'a',")(chars)}]}}</tool_call>`,
  },
  {
    name: 'many elements named like the one around them',
    make: (chars) =>
      `<write_file>${repeated('<content>a<content>b</content>')(chars)}</content></write_file>`,
  },
  { name: 'many fences', make: repeated('```json\n{"a": 1}\n```\n') },
  { name: 'many inline codes', make: repeated('Use `f` and `g`. ') },
  {
    name: 'ordinary prose',
    make: repeated('The quick brown fox jumps over the lazy dog; it costs 5 < 6 [1] and (2).\n'),
  },
  {
    name: 'ordinary code',
    make: repeated('for (const [a, b] of list) { if (a < b) { log(`x`, {"k": [1, 2]}); } }\n'),
  },
  {
    name: 'encoded many times',
    make: (chars) => {
      let text = '{"path":"a"}';
      while (text.length < chars / 2) text = JSON.stringify(text);
      return `<tool_call>{"name":"read_file","arguments":${text}}</tool_call>`;
    },
  },
  {
    name: 'decoys before a call',
    make: (chars) => `${repeated('{"name": "x", ')(chars)}\n<tool_call>${CALL}</tool_call>`,
  },
  {
    name: 'decoy tags before a call',
    make: (chars) => `${repeated('<tool_call>{"name" ')(chars)}\n<tool_call>${CALL}</tool_call>`,
  },
];

export const HOSTILE: readonly HostileGroup[] = [...CHARACTERS, ...OPENERS, ...ALMOST, ...NESTED, ...LONG];

/** Many offered tools, each of them mentioned as an opening tag. */
export const manyTools = {
  name: 'many tools, each mentioned as a tag',
  make: (chars: number) => Array.from({ length: chars / 14 }, (_, i) => `<tool_${i % 2000}>`).join(' '),
  tools: (count: number) =>
    Array.from({ length: count }, (_, i) => tool(`tool_${i}`, { a: { type: 'string' } }, ['a'])),
};
