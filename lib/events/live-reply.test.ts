import { describe, expect, it } from 'vitest';
import { parseToolCalls } from '../parser/parse-tool-calls.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { liveReply } from './live-reply.ts';

const TOOLS: ToolDefinition[] = [
  { type: 'function', function: { name: 'read_file', description: '', parameters: { type: 'object' } } },
];

/** Everything that is shown of a reply as text or thinking while it arrives character by character. */
function shownOf(content: string): { texts: string[]; thoughts: string[] } {
  const states = Array.from(content, (_, index) => liveReply(content.slice(0, index + 1), TOOLS));
  return { texts: states.map(({ text }) => text), thoughts: states.map(({ thinking }) => thinking) };
}

it('distinguishes thinking, text and a call', () => {
  const written =
    '<think>\nWhich file?\n</think>\n\nI read it.\n<tool_call>\n{"name": "read_file", "arguments": {}}';
  expect(liveReply(written, TOOLS)).toEqual({
    thinking: '\nWhich file?\n',
    text: '\n\nI read it.',
    call: '<tool_call>\n{"name": "read_file", "arguments": {}}',
  });
});

it.each([
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
])('never shows the tags %s and %s', (open, close) => {
  const { texts, thoughts } = shownOf(`${open}I think.${close}\nYes.`);
  expect(texts.at(-1)?.trim()).toBe('Yes.');
  expect(thoughts.at(-1)).toBe('I think.');
  for (const shown of [...texts, ...thoughts]) expect(shown).not.toMatch(/[<>[\]]/);
});

it('treats text before a closing tag as thinking when the prompt had the opening one', () => {
  expect(liveReply('Hm, well.</think>\nYes', TOOLS)).toEqual({
    thinking: 'Hm, well.',
    text: '\nYes',
    call: '',
  });
});

describe('a call in the text', () => {
  it.each([
    '{"name": "read_file", "arguments": {"path": "notes.md"}}',
    '```json\n{"name": "read_file", "arguments": {"path": "notes.md"}}\n```',
    '<function=read_file><parameter=path>notes.md</parameter></function>',
    'Action: read_file\nAction Input: {"path": "notes.md"}',
  ])('is not shown as text: %s', (call) => {
    const content = `First I look.\n\n${call}`;
    expect(parseToolCalls({ content }, { tools: TOOLS }).type).toBe('tool_calls');
    for (const text of shownOf(content).texts) expect('First I look.'.startsWith(text.trim())).toBe(true);
    expect(liveReply(content, TOOLS).call).toBe(call);
  });

  it('is none if it names no tool: samples in an answer are shown', () => {
    const sample = `Use this:\n\n\`\`\`json\n{"name": "my-app", "type": "module", "version": "1.0.0", "private": true, "license": "MIT", "engines": {}}\n\`\`\`\n\nThen run:\n\n>>> print("a long line of Python that goes on and on until it is clear that it calls no tool at all")\n\nDone.`;
    expect(liveReply(sample, TOOLS)).toEqual({ thinking: '', text: sample, call: '' });
  });

  it('is none if the request offered no tools', () => {
    const written = 'Write <tool_call>{"name": "read_file"}</tool_call> to call it.';
    expect(liveReply(written, [])).toEqual({ thinking: '', text: written, call: '' });
  });
});

it('shows the rest of a reply with very many tags unchanged', () => {
  const { thinking, text, call } = liveReply('<think>a</think>b'.repeat(1000), TOOLS);
  expect(thinking).toMatch(/^a+$/);
  expect(text.endsWith('<think>a</think>b')).toBe(true);
  expect(call).toBe('');
});
