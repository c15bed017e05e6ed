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

it('P3, N1.1: reads one native call', () => {
  expect(parseToolCalls(native({ function: readA }), { tools: TOOLS })).toMatchObject({
    type: 'tool_calls',
    calls: [readA],
    layer: 'native',
    origins: [{ layer: 'native', format: 'native' }],
  });
});

it('P3, N1.1: reads several native calls, fills in missing arguments and skips broken entries', () => {
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

it('P12: parses native arguments that are JSON text, also when encoded twice', () => {
  const text = JSON.stringify({ path: 'a.txt' });
  const message = native(
    { function: { name: 'read_file', arguments: text } },
    { function: { name: 'read_file', arguments: JSON.stringify(text) } },
  );
  expect(parseToolCalls(message, { tools: TOOLS })).toMatchObject({ calls: [readA, readA] });
});

it('P16: passes native calls with unknown names on', () => {
  expect(
    parseToolCalls(native({ function: { name: 'fly', arguments: {} } }), { tools: TOOLS }),
  ).toMatchObject({
    calls: [{ name: 'fly', arguments: {} }],
  });
});

it('P6, N1.2: reads one JSON call in content, amid prose and in a fence', () => {
  expect(calls(jsonA)).toEqual([readA]);
  expect(calls(`I will read it. ${jsonA} One moment.`)).toEqual([readA]);
  expect(calls(`Sure:\n\`\`\`json\n${jsonA}\n\`\`\`\n`)).toEqual([readA]);
});

it('P6, N1.2: reads several JSON calls, in either key order', () => {
  expect(calls(`${jsonA}\n${jsonB}`)).toEqual([readA, readB]);
  expect(calls(`[${jsonA}, ${jsonB}]`)).toEqual([readA, readB]);
});

it('P6: keeps code with braces and quotes in arguments whole', () => {
  const content = 'function f() {\n  return "}" + `{`;\n}\n</tool_call><think>';
  const call = { name: 'write_file', arguments: { path: 'f.js', content } };
  expect(calls(JSON.stringify(call))).toEqual([call]);
});

it('P7, N1.3: reads one and several calls in tags', () => {
  expect(calls(`<tool_call>${jsonA}</tool_call>`)).toEqual([readA]);
  expect(calls(`<tool_call>\n${jsonA}\n</tool_call>\n\n<tool_call>\n ${jsonB} </tool_call>`)).toEqual([
    readA,
    readB,
  ]);
});

it('P8: accepts names with hyphen, dot and colon', () => {
  for (const name of ['read-file', 'fs.read', 'fs:read']) {
    expect(calls(`{"name": "${name}", "arguments": {}}`, [tool(name)])).toEqual([{ name, arguments: {} }]);
  }
});

it('P4, N1.4: removes think blocks before anything else', () => {
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

it('P5: handles unclosed, unopened and nested think tags', () => {
  expect(parse(`Answer.<think>But what if ${jsonA}`)).toMatchObject({
    type: 'final_answer',
    content: 'Answer.',
  });
  expect(parse(`<think>I could ${jsonA}`)).toMatchObject({ type: 'empty', layer: 'none' });
  expect(parse(`I could ${jsonA}</think>No.`)).toMatchObject({ type: 'final_answer', content: 'No.' });
  expect(parse('<think>a<think>b</think>c</think>Answer.')).toMatchObject({ content: 'Answer.' });
  expect(parse('<think>a <think> b</think>Answer.')).toMatchObject({ content: 'Answer.' });
});

it('P9, P10, N1.5: coerces booleans and numbers as the schema asks', () => {
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

it('P10, N1.5: leaves text alone that is not wholly an integer', () => {
  const lines = '{"name": "read_file", "arguments": {"path": "a", "start_line": "30s", "end_line": "abc"}}';
  expect(calls(lines)).toEqual([
    { name: 'read_file', arguments: { path: 'a', start_line: '30s', end_line: 'abc' } },
  ]);
});

it('K-4, N1.5: keeps text of text parameters', () => {
  const given = '{"name": "write_file", "arguments": {"path": "1", "content": "true"}}';
  expect(calls(given)).toEqual([{ name: 'write_file', arguments: { path: '1', content: 'true' } }]);
});

it('P11: the same call is equal through each layer', () => {
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

it('P12: accepts parameters for arguments, and JSON text', () => {
  const call = '{"name": "read_file", "parameters": {"path": "a.txt"}}';
  expect(calls(call)).toEqual([readA]);
  expect(parse(`<tool_call>${call}</tool_call>`)).toMatchObject({ calls: [readA], layer: 'xml' });
  expect(
    calls('<tool_call>{"name": "read_file", "arguments": "{\\"path\\": \\"a.txt\\"}"}</tool_call>'),
  ).toEqual([readA]);
});

it('P1: the same message gives one of three outcomes, the same each time, and stays as it is', () => {
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

it('P13, N1.6: takes text without a call as the answer', () => {
  expect(parse('  The file is empty.\n')).toMatchObject({
    type: 'final_answer',
    content: 'The file is empty.',
    layer: 'none',
  });
  const json = 'The config is {"port": 8080, "hosts": ["a", "b"]}.';
  expect(parse(json)).toMatchObject({ type: 'final_answer', content: json });
});

it('P14, N1.7: never throws on what is no message', () => {
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

it('P15, N1.7: keeps a good call beside a broken one, and marks a broken one alone', () => {
  const broken = '<tool_call>{"name": "read_file", "arguments": {"path": }}</tool_call>';
  expect(calls(`${broken}\n<tool_call>${jsonA}</tool_call>`)).toEqual([readA]);
  expect(parse(broken)).toMatchObject({
    type: 'final_answer',
    malformed: true,
    refusals: [{ reason: 'malformed' }],
  });
  expect(parse(`<tool_call>${jsonA}</tool_call>`).malformed).toBeUndefined();
});

it('P15: never completes a call that was cut inside a text, key or number', () => {
  for (const cut of [
    '<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "half a',
    '<tool_call>{"name": "write_file", "arguments": {"path": "a", "cont',
    '<tool_call>{"name": "read_file", "arguments": {"path": "a", "start_line": 1',
    '{"name": "read_file", "argum',
  ]) {
    expect(parse(cut)).toMatchObject({ type: 'final_answer', malformed: true });
  }
});

it('P16: reads no call from text unless its name was offered', () => {
  const person = 'The record is {"name": "Bob", "arguments": {"age": 4}}.';
  expect(parse(person)).toMatchObject({ type: 'final_answer', content: person });
  const near = parse('{"name": "read_fil", "arguments": {"path": "a"}}');
  expect(near).toMatchObject({
    type: 'final_answer',
    refusals: [{ reason: 'name-not-offered', nearest: 'read_file' }],
  });
});

it('P2, N1.8: native wins over JSON and tags', () => {
  const message = { content: `${jsonB}<tool_call>${jsonB}</tool_call>`, tool_calls: [{ function: readA }] };
  const reply = parseToolCalls(message, { tools: TOOLS });
  expect(reply).toMatchObject({ calls: [readA], layer: 'native', attempts: [{ layer: 'native', found: 1 }] });
});

it('P2, N1.8: names JSON before tags when both hold calls', () => {
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

it('P19: reads only the active layers', () => {
  const message = { content: `${jsonA} <tool_call>${jsonB}</tool_call>` };
  expect(parseToolCalls(message, { tools: TOOLS, layers: ['native', 'xml'] })).toMatchObject({
    calls: [readB],
  });
  expect(parseToolCalls(message, { tools: TOOLS, layers: ['native'] })).toMatchObject({
    type: 'final_answer',
  });
});

it('P18: keeps the thinking of the API beside the answer', () => {
  const message = { content: '<think>second</think>Done.', thinking: 'first' };
  expect(parseToolCalls(message)).toMatchObject({
    content: 'Done.',
    visibleText: 'Done.',
    thinking: 'second\n\nfirst',
  });
});

it('K-9: takes the text of calls out of the visible text', () => {
  expect(parse(`Let me look.\n<tool_call>${jsonA}</tool_call>\n`)).toMatchObject({
    visibleText: 'Let me look.',
    origins: [{ format: 'hermes', span: { in: 'content', start: 13, end: 89 } }],
  });
});
