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

/** Characters read in vain, which is what could grow faster than the text. Everything else is one pass. */
const spentOn = (content: string, offered: typeof tools) =>
  scan(content, { tools: new ToolIndex(offered), layers: new Set(['json', 'xml']) }).spent;

describe('does work in proportion to the text, whatever it is', () => {
  it.each(groups)('$name', ({ make, tools: offered }) => {
    const once = spentOn(make(CHARS), offered);
    const twice = spentOn(make(2 * CHARS), offered);
    expect(twice).toBeLessThanOrEqual(2.2 * once + 2000);
  });

  it.each(groups)('keeps details bounded: $name', ({ make, tools: offered }) => {
    const content = make(CHARS);
    const reply = parseToolCalls({ content }, { tools: offered });
    expect(reply.refusals.length).toBeLessThanOrEqual(100);
    for (const refusal of reply.refusals) expect(refusal.raw.length).toBeLessThanOrEqual(400);
    for (const repair of reply.repairs) expect(repair.before.length).toBeLessThanOrEqual(400);
    expect(JSON.stringify(reply).length).toBeLessThanOrEqual(40 * content.length + 100_000);
  });
});

it('finds the call behind decoys', () => {
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

it('refuses nesting beyond the limit at every place, and reads what is within it', () => {
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

it('says so when a text is too hostile to be read as a whole', () => {
  const reply = parseToolCalls({ content: '{/*'.repeat(20_000) }, { tools });
  expect(reply).toMatchObject({ type: 'final_answer', malformed: true, refusals: [{ reason: 'too-large' }] });
});
