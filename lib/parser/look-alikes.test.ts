import { describe, expect, it } from 'vitest';
import { parseToolCalls } from './parse-tool-calls.ts';
import { LOOK_ALIKES } from './testing/look-alikes.ts';
import { TOOLS } from './testing/tools.ts';

describe('text that resembles a call [P16]', () => {
  it('has at least sixty examples', () => {
    expect(LOOK_ALIKES.length).toBeGreaterThanOrEqual(60);
  });

  it.each(LOOK_ALIKES)('is an answer: $about', ({ content }) => {
    const reply = parseToolCalls({ content }, { tools: TOOLS });
    expect(reply).toMatchObject({ type: 'final_answer', layer: 'none', origins: [] });
  });
});

describe('explains why it read no call [P16]', () => {
  const refusalOf = (content: string) => parseToolCalls({ content }, { tools: TOOLS }).refusals[0];
  const call = '{"name": "read_file", "arguments": {"path": "a.txt"}}';

  it.each([
    ['name-not-offered', '{"name": "read_fil", "arguments": {"path": "a"}}'],
    ['definition-echo', '{"name": "read_file", "parameters": {"type": "object", "properties": {}}}'],
    ['result-echo', '{"name": "read_file", "result": "hello"}'],
    ['inside-thinking', `<think>${call}</think>Done.`],
    ['code-sample', `\`\`\`python\nx = ${call}\n\`\`\``],
    ['unsafe-key', '{"name": "read_file", "arguments": {"__proto__": {"admin": true}}}'],
    ['malformed', '<tool_call>{"name": "read_file", "arguments": oops}</tool_call>'],
    ['cut', '<tool_call>{"name": "read_file", "arguments": {"path": "a'],
    [
      'too-deep',
      `<tool_call>{"name": "read_file", "arguments": {"path": ${'['.repeat(600)}${']'.repeat(600)}}}</tool_call>`,
    ],
  ])('%s', (reason, content) => {
    expect(refusalOf(content)).toMatchObject({
      reason,
      raw: expect.any(String),
      message: expect.any(String),
    });
  });

  it('names the nearest offered tool for a near miss', () => {
    expect(refusalOf('{"name": "readfile", "arguments": {"path": "a"}}')).toMatchObject({
      nearest: 'read_file',
    });
    expect(refusalOf('{"name": "xyz", "arguments": {"path": "a"}}')?.nearest).toBeUndefined();
  });

  it('too-large: reads no calls from a text over the limit', () => {
    const reply = parseToolCalls({ content: call + ' '.repeat(2_000_001) }, { tools: TOOLS });
    expect(reply).toMatchObject({
      type: 'final_answer',
      malformed: true,
      refusals: [
        {
          reason: 'too-large',
          message: expect.stringMatching(
            /^The reply has 2,000,0\d\d characters; calls are read in at most 2,000,000\.$/,
          ),
        },
      ],
    });
  });
});
