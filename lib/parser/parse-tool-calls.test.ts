import { expect, it } from 'vitest';
import { parseToolCalls } from './parse-tool-calls.ts';
import { TOOLS, tool } from './testing/tools.ts';
import type { ToolDefinition } from './types.ts';

const parse = (content: string, tools: readonly ToolDefinition[] = TOOLS) =>
  parseToolCalls({ role: 'assistant', content }, { tools });
const native = (...calls: unknown[]) => ({ role: 'assistant', content: '', tool_calls: calls });
const calls = (content: string, tools?: readonly ToolDefinition[]) => {
  const reply = parse(content, tools);
  return reply.type === 'tool_calls' ? reply.calls : reply.type;
};

const readA = { name: 'read_file', arguments: { path: 'a.txt' } };
const readB = { name: 'read_file', arguments: { path: 'b.txt' } };
const jsonA = '{"name": "read_file", "arguments": {"path": "a.txt"}}';
const jsonB = '{"arguments": {"path": "b.txt"}, "name": "read_file"}';

it('reads one native call [P3, N1.1]', () => {
  expect(parseToolCalls(native({ function: readA }), { tools: TOOLS })).toMatchObject({
    type: 'tool_calls',
    calls: [readA],
    layer: 'native',
    origins: [{ layer: 'native', format: 'native' }],
  });
});

it('reads several native calls, fills in missing arguments and skips broken entries [P3, N1.1]', () => {
  const message = native(
    { function: { name: 'list_directory', arguments: null } },
    { function: { arguments: {} } },
    null,
    'read_file',
    { id: 'call_1', function: readA },
  );
  expect(parseToolCalls(message, { tools: TOOLS })).toMatchObject({
    calls: [{ name: 'list_directory', arguments: {} }, readA],
  });
});

it('parses native arguments that are JSON text, even if encoded twice [P12]', () => {
  const text = JSON.stringify({ path: 'a.txt' });
  const message = native(
    { function: { name: 'read_file', arguments: text } },
    { function: { name: 'read_file', arguments: JSON.stringify(text) } },
  );
  expect(parseToolCalls(message, { tools: TOOLS })).toMatchObject({ calls: [readA, readA] });
});

it('passes native calls with unknown names on [P16]', () => {
  expect(
    parseToolCalls(native({ function: { name: 'fly', arguments: {} } }), { tools: TOOLS }),
  ).toMatchObject({
    calls: [{ name: 'fly', arguments: {} }],
  });
});

it('reads one JSON call in the content, in prose and in a fence [P6, N1.2]', () => {
  expect(calls(jsonA)).toEqual([readA]);
  expect(calls(`I will read it. ${jsonA} One moment.`)).toEqual([readA]);
  expect(calls(`Sure:\n\`\`\`json\n${jsonA}\n\`\`\`\n`)).toEqual([readA]);
});

it('reads several JSON calls, in either key order [P6, N1.2]', () => {
  expect(calls(`${jsonA}\n${jsonB}`)).toEqual([readA, readB]);
  expect(calls(`[${jsonA}, ${jsonB}]`)).toEqual([readA, readB]);
});

it('keeps code with braces and quotes in arguments intact [P6]', () => {
  const content = 'function f() {\n  return "}" + `{`;\n}\n</tool_call><think>';
  const call = { name: 'write_file', arguments: { path: 'f.js', content } };
  expect(calls(JSON.stringify(call))).toEqual([call]);
});

it('reads one call and several calls in tags [P7, N1.3]', () => {
  expect(calls(`<tool_call>${jsonA}</tool_call>`)).toEqual([readA]);
  expect(calls(`<tool_call>\n${jsonA}\n</tool_call>\n\n<tool_call>\n ${jsonB} </tool_call>`)).toEqual([
    readA,
    readB,
  ]);
});

it('accepts names with hyphens, dots and colons [P8]', () => {
  for (const name of ['read-file', 'fs.read', 'fs:read']) {
    expect(calls(`{"name": "${name}", "arguments": {}}`, [tool(name)])).toEqual([{ name, arguments: {} }]);
  }
});

it('removes think blocks before anything else [P4, N1.4]', () => {
  expect(calls(`<think>First I\nread.</think>\n${jsonA}`)).toEqual([readA]);
  expect(parse(`<think>Maybe ${jsonA}</think>It is done.`)).toMatchObject({
    type: 'final_answer',
    content: 'It is done.',
    refusals: [{ reason: 'inside-thinking', name: 'read_file', span: { in: 'content', start: 13, end: 66 } }],
  });
  expect(parse('<think>a</think>One <think>b\nc</think>two.')).toMatchObject({
    content: 'One two.',
    thinking: 'a\n\nb\nc',
  });
});

it('handles unclosed, unopened and nested think tags [P5]', () => {
  expect(parse(`Answer.<think>But what if ${jsonA}`)).toMatchObject({
    type: 'final_answer',
    content: 'Answer.',
  });
  expect(parse(`<think>I could ${jsonA}`)).toMatchObject({ type: 'empty', layer: 'none' });
  expect(parse(`I could ${jsonA}</think>No.`)).toMatchObject({ type: 'final_answer', content: 'No.' });
  expect(parse('<think>a<think>b</think>c</think>Answer.')).toMatchObject({ content: 'Answer.' });
  expect(parse('<think>a <think> b</think>Answer.')).toMatchObject({ content: 'Answer.' });
});

it('coerces booleans and numbers to the types in the schema [P10, N1.5]', () => {
  const given =
    '{"name": "search_files", "arguments": {"query": "true", "case_sensitive": "True", "max_results": "30"}}';
  expect(parse(given)).toMatchObject({
    calls: [{ name: 'search_files', arguments: { query: 'true', case_sensitive: true, max_results: 30 } }],
    coercions: [
      { call: 0, path: 'case_sensitive', before: 'True', after: true },
      { call: 0, path: 'max_results', before: '30', after: 30 },
    ],
  });
});

it('leaves text unchanged that is not entirely an integer [P10, N1.5]', () => {
  const lines = '{"name": "read_file", "arguments": {"path": "a", "start_line": "30s", "end_line": "abc"}}';
  expect(calls(lines)).toEqual([
    { name: 'read_file', arguments: { path: 'a', start_line: '30s', end_line: 'abc' } },
  ]);
});

it('keeps the text of text parameters [K-4, N1.5]', () => {
  const given = '{"name": "write_file", "arguments": {"path": "1", "content": "true"}}';
  expect(calls(given)).toEqual([{ name: 'write_file', arguments: { path: '1', content: 'true' } }]);
});

it('reads the same call equally through each layer [P11]', () => {
  const args = { path: 'a.txt', start_line: '3' };
  const text = JSON.stringify({ name: 'read_file', arguments: args });
  const expected = [{ name: 'read_file', arguments: { path: 'a.txt', start_line: 3 } }];
  expect(
    parseToolCalls(native({ function: { name: 'read_file', arguments: args } }), { tools: TOOLS }),
  ).toMatchObject({
    calls: expected,
  });
  expect(calls(text)).toEqual(expected);
  expect(calls(`<tool_call>${text}</tool_call>`)).toEqual(expected);
});

it('accepts JSON text, and `parameters` as the arguments [P12]', () => {
  const call = '{"name": "read_file", "parameters": {"path": "a.txt"}}';
  expect(calls(call)).toEqual([readA]);
  expect(parse(`<tool_call>${call}</tool_call>`)).toMatchObject({ calls: [readA], layer: 'xml' });
  expect(
    calls('<tool_call>{"name": "read_file", "arguments": "{\\"path\\": \\"a.txt\\"}"}</tool_call>'),
  ).toEqual([readA]);
});

it('returns one of three outcomes, always the same for the same message, which stays unmodified [P1]', () => {
  const messages = [
    { content: '', tool_calls: [{ function: { name: 'read_file', arguments: { path: 'a.md' } } }] },
    { content: 'The file is empty.' },
    { content: '<think>Hm.</think>' },
  ];
  const copies = structuredClone(messages);
  const outcomes = messages.map((message) => parseToolCalls(message));
  expect(outcomes.map(({ type }) => type)).toEqual(['tool_calls', 'final_answer', 'empty']);
  expect(outcomes[0]).toMatchObject({ calls: [{ name: 'read_file', arguments: { path: 'a.md' } }] });
  expect(outcomes[2]).toMatchObject({ content: '' });
  expect(messages.map((message) => parseToolCalls(message))).toEqual(outcomes);
  expect(messages).toEqual(copies);
});

it('treats text without a call as the answer [P13, N1.6]', () => {
  expect(parse('  The file is empty.\n')).toMatchObject({
    type: 'final_answer',
    content: 'The file is empty.',
    layer: 'none',
  });
  const json = 'The config is {"port": 8080, "hosts": ["a", "b"]}.';
  expect(parse(json)).toMatchObject({ type: 'final_answer', content: json });
});

it('never throws on something that is not a message [P14, N1.7]', () => {
  for (const message of [
    {},
    null,
    undefined,
    7,
    'text',
    [],
    { content: null },
    { content: 5, tool_calls: {} },
  ]) {
    expect(parseToolCalls(message)).toMatchObject({ type: 'empty', content: '' });
  }
  expect(parse('<think>only thoughts</think>')).toMatchObject({ type: 'empty', thinking: 'only thoughts' });
});

it('keeps a good call next to a broken one, and marks a lone broken call as malformed [P15, N1.7]', () => {
  const broken = '<tool_call>{"name": "read_file", "arguments": {"path": }}</tool_call>';
  expect(calls(`${broken}\n<tool_call>${jsonA}</tool_call>`)).toEqual([readA]);
  expect(parse(broken)).toMatchObject({
    type: 'final_answer',
    malformed: true,
    refusals: [{ reason: 'malformed' }],
  });
  expect(parse(`<tool_call>${jsonA}</tool_call>`).malformed).toBeUndefined();
});

it('never completes a call that was cut off inside a string, key or number [P15]', () => {
  for (const cut of [
    '<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "half a',
    '<tool_call>{"name": "write_file", "arguments": {"path": "a", "cont',
    '<tool_call>{"name": "read_file", "arguments": {"path": "a", "start_line": 1',
    '{"name": "read_file", "argum',
  ]) {
    expect(parse(cut)).toMatchObject({ type: 'final_answer', malformed: true });
  }
});

it('reads a call from text only if its name was offered [P16]', () => {
  const person = 'The record is {"name": "Bob", "arguments": {"age": 4}}.';
  expect(parse(person)).toMatchObject({ type: 'final_answer', content: person });
  const near = parse('{"name": "read_fil", "arguments": {"path": "a"}}');
  expect(near).toMatchObject({
    type: 'final_answer',
    refusals: [{ reason: 'name-not-offered', nearest: 'read_file' }],
  });
});

it('prefers native calls to JSON and tags [P2, N1.8]', () => {
  const message = { content: `${jsonB}<tool_call>${jsonB}</tool_call>`, tool_calls: [{ function: readA }] };
  const reply = parseToolCalls(message, { tools: TOOLS });
  expect(reply).toMatchObject({ calls: [readA], layer: 'native', attempts: [{ layer: 'native', found: 1 }] });
});

it('names JSON before tags when both hold calls [P2, N1.8]', () => {
  expect(parse(`${jsonA}<tool_call>${jsonB}</tool_call>`)).toMatchObject({
    layer: 'json',
    calls: [readA, readB],
    attempts: [
      { layer: 'native', found: 0 },
      { layer: 'json', found: 1 },
      { layer: 'json', format: 'json', found: 1 },
      { layer: 'xml', found: 1 },
      { layer: 'xml', format: 'hermes', found: 1 },
    ],
  });
});

it('reads only the active layers [P19]', () => {
  const message = { content: `${jsonA} <tool_call>${jsonB}</tool_call>` };
  expect(parseToolCalls(message, { tools: TOOLS, layers: ['native', 'xml'] })).toMatchObject({
    calls: [readB],
  });
  expect(parseToolCalls(message, { tools: TOOLS, layers: ['native'] })).toMatchObject({
    type: 'final_answer',
  });
});

it("keeps the API's thinking apart from the answer [P18]", () => {
  const message = { content: '<think>second</think>Done.', thinking: 'first' };
  expect(parseToolCalls(message)).toMatchObject({
    content: 'Done.',
    visibleText: 'Done.',
    thinking: 'second\n\nfirst',
  });
});

it('removes the text of calls from the visible text [K-9]', () => {
  expect(parse(`Let me look.\n<tool_call>${jsonA}</tool_call>\n`)).toMatchObject({
    visibleText: 'Let me look.',
    origins: [{ format: 'hermes', span: { in: 'content', start: 13, end: 89 } }],
  });
});
