import { describe, expect, it } from 'vitest';
import { HOSTILE, manyTools } from '../../bench/parser/hostile.ts';
import { parseToolCalls } from './parse-tool-calls.ts';
import { scan } from './scan.ts';
import { TOOLS, tool } from './testing/tools.ts';
import { ToolIndex } from './tool-index.ts';

const CHARS = 12_000;
const tools = [...TOOLS, tool('nested_tool', { data: { type: 'object' } })];
const groups = [
  ...HOSTILE.map((group) => ({ ...group, tools })),
  { ...manyTools, tools: manyTools.tools(2000) },
];

/** Steps per character that any text may take: several formats are tried at an opener, and some read in vain. */
const MAX_STEPS = 14;
/** Steps per character of long but ordinary texts, whose values and tags are read about once. */
const MAX_ORDINARY_STEPS = 2.1;

const scanOf = (content: string, offered: typeof tools) =>
  scan(content, { tools: new ToolIndex(offered), layers: new Set(['json', 'xml']) });

describe('does work proportional to the length of any text', () => {
  it.each(groups)('$name', ({ make, tools: offered }) => {
    const content = make(CHARS);
    const once = scanOf(content, offered);
    const twice = scanOf(make(2 * CHARS), offered);
    expect(twice.spent).toBeLessThanOrEqual(2.2 * once.spent + 2000);
    expect(twice.work).toBeLessThanOrEqual(2.1 * once.work + 2000);
    expect(once.work).toBeLessThanOrEqual(MAX_STEPS * content.length);
  });

  it.each(groups)('bounds the details: $name', ({ make, tools: offered }) => {
    const content = make(CHARS);
    const reply = parseToolCalls({ content }, { tools: offered });
    expect(reply.refusals.length).toBeLessThanOrEqual(100);
    for (const refusal of reply.refusals) expect(refusal.raw.length).toBeLessThanOrEqual(400);
    for (const repair of reply.repairs) expect(repair.before.length).toBeLessThanOrEqual(400);
    expect(JSON.stringify(reply).length).toBeLessThanOrEqual(40 * content.length + 100_000);
  });
});

describe('reads long values, lists of calls and markup about once', () => {
  it.each(
    groups.filter(({ name }) =>
      /^many (?:keys|think tags)|^ordinary|DSML(?!.*string=)|tool_call_begin\|/.test(name),
    ),
  )('$name', ({ make, tools: offered }) => {
    const content = make(CHARS);
    expect(scanOf(content, offered).work).toBeLessThanOrEqual(MAX_ORDINARY_STEPS * content.length);
  });
});

it('does not copy arguments that already fit', () => {
  const args = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i]));
  const message = { tool_calls: [{ function: { name: 'nested_tool', arguments: args } }] };
  const reply = parseToolCalls(message, { tools });
  expect(reply.type === 'tool_calls' && reply.calls[0]?.arguments).toBe(args);
});

it.each([
  [
    'in the text',
    { content: '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>\n'.repeat(2000) },
  ],
  [
    'from the server',
    {
      tool_calls: Array.from({ length: 2000 }, () => ({
        function: { name: 'read_file', arguments: { path: 'a' } },
      })),
    },
  ],
])('reads only the first of 2,000 calls %s', (_, message) => {
  const reply = parseToolCalls(message, { tools });
  expect(reply).toMatchObject({
    type: 'tool_calls',
    refusals: [
      {
        reason: 'too-large',
        name: 'read_file',
        raw: expect.stringContaining('read_file'),
        message: 'The reply has 2,000 calls; only the first 256 are read.',
      },
    ],
  });
  expect(reply.type === 'tool_calls' && reply.calls).toHaveLength(256);
  expect(reply.origins).toHaveLength(256);
});

it.each([
  ['fields', Object.fromEntries(Array.from({ length: 50_001 }, (_, i) => [`k${i}`, i]))],
  ['items', { data: Array.from({ length: 50_001 }, () => 0) }],
])('refuses arguments with 50,001 %s, from the server or in the text', (_, args) => {
  const call = { name: 'nested_tool', arguments: args };
  for (const message of [
    { tool_calls: [{ function: call }] },
    { tool_calls: [{ function: { ...call, arguments: JSON.stringify(args) } }] },
    { content: `<tool_call>${JSON.stringify(call)}</tool_call>` },
  ]) {
    expect(parseToolCalls(message, { tools })).toMatchObject({
      malformed: true,
      refusals: [
        {
          reason: 'too-large',
          name: 'nested_tool',
          message: 'The arguments of nested_tool have more than 50,000 values.',
        },
      ],
    });
  }
});

it('finds the call after decoys', () => {
  const call = '<tool_call>{"name": "read_file", "arguments": {"path": "a.txt"}}</tool_call>';
  for (const decoy of [
    '{"name": "x", ',
    '<tool_call>{"name" ',
    '[[[[',
    '{"a":',
    '```json\n{',
    'read_file\n{',
    '`x',
  ]) {
    const reply = parseToolCalls({ content: `${decoy.repeat(2000)}\n\n${call}` }, { tools });
    expect(reply, decoy).toMatchObject({ type: 'tool_calls', calls: [{ name: 'read_file' }] });
  }
});

it('refuses nesting beyond the limit everywhere and reads nesting within it', () => {
  const nested = (depth: number) =>
    `{"name": "nested_tool", "arguments": {"data": ${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}}`;
  expect(parseToolCalls({ content: nested(500) }, { tools })).toMatchObject({ type: 'tool_calls' });
  expect(parseToolCalls({ content: nested(100_000) }, { tools }).type).toBe('final_answer');
  expect(parseToolCalls({ content: '['.repeat(100_000) + ']'.repeat(100_000) }, { tools }).type).toBe(
    'final_answer',
  );
});

it('reads deep native arguments without recursion', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
  const message = { tool_calls: [{ function: { name: 'nested_tool', arguments: { data: deep } } }] };
  expect(parseToolCalls(message, { tools }).type).toBe('tool_calls');
});

it('reports a text that is too hostile to be read completely', () => {
  const reply = parseToolCalls({ content: '{/*'.repeat(20_000) }, { tools });
  expect(reply).toMatchObject({ type: 'final_answer', malformed: true, refusals: [{ reason: 'too-large' }] });
});
