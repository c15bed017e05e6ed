import { expect, it } from 'vitest';
import { parseToolCalls } from '../parser/parse-tool-calls.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import { getToolDefinitions } from '../tools/registry.ts';
import { dropCutCall } from './drop-cut-call.ts';

const tools = getToolDefinitions({ sandbox: openUnconfined() });
const read = (content: string, tool_calls: unknown[] = []) =>
  dropCutCall(parseToolCalls({ content, tool_calls }, { tools }), content);
const whole = '<tool_call>{"name": "read_file", "arguments": {"path": "a.md"}}</tool_call>';

it.each([
  '<tool_call>{"name": "run_command", "arguments": {"command": "ls"',
  '{"name": "run_command", "arguments": {"command": "ls"}',
  '```json\n{"name": "run_command", "arguments": {"command": "ls"}',
  '<function=run_command>\n<parameter=command>\nls\n</parameter>',
])('runs no call that reaches to the cut: %s [T21]', (content) => {
  expect(parseToolCalls({ content }, { tools }).type).toBe('tool_calls');
  const parsed = read(content);
  expect(parsed).toMatchObject({ type: 'empty', malformed: true, layer: 'none', repairs: [] });
  expect(parsed.refusals.at(-1)).toMatchObject({ reason: 'cut', name: 'run_command' });
});

it('keeps the whole calls before the cut, and the text beside a cut one [T21]', () => {
  const parsed = read(`${whole}\n<tool_call>{"name": "read_file", "arguments": {"path": "b.md"`);
  expect(parsed).toMatchObject({ type: 'tool_calls', calls: [{ arguments: { path: 'a.md' } }] });
  expect(parsed.origins).toHaveLength(1);
  expect(read(`${whole}\nAnd now I will`)).toMatchObject({ type: 'tool_calls', refusals: [] });
  expect(read('I look. <tool_call>{"name": "read_file", "arguments": {"path": "b.md"')).toMatchObject({
    type: 'final_answer',
    content: 'I look.',
  });
});

it('keeps native calls, which come whole from the server', () => {
  const native = [{ function: { name: 'read_file', arguments: { path: 'a.md' } } }];
  expect(read('', native)).toMatchObject({ type: 'tool_calls', calls: [{ name: 'read_file' }] });
});
