import { describe, expect, it } from 'vitest';
import { readCalls, readReply, weather } from '../testing/read.ts';

it('repairs a marked call that our own reader gives up on, and records it', () => {
  const content = '<tool_call>{"name": "get_weather", "arguments": {city: Oslo, days: 3}}</tool_call>';
  expect(readReply(content)).toMatchObject({
    calls: [weather({ city: 'Oslo', days: 3 })],
    repairs: [
      {
        rule: 'jsonrepair',
        before: expect.stringContaining('city: Oslo'),
        after: expect.stringContaining('"city": "Oslo"'),
      },
    ],
  });
});

describe('does not guess', () => {
  it.each([
    ['without a marker', '{"name": "get_weather", "arguments": {city: Oslo}}'],
    ['without the closing marker', '<tool_call>{"name": "get_weather", "arguments": {city: Oslo}}'],
    ['for a tool that was not offered', '<tool_call>{"name": "fly", "arguments": {to: Oslo}}</tool_call>'],
    [
      'when a key is not a parameter',
      '<tool_call>{"name": "get_weather", "arguments": {city: Oslo, mood: sunny}}</tool_call>',
    ],
    [
      'when a required parameter is missing',
      '<tool_call>{"name": "get_weather", "arguments": {days: 3, fields: x}}</tool_call>',
    ],
    [
      'when a value does not fit',
      '<tool_call>{"name": "get_weather", "arguments": {city: Oslo, days: some}}</tool_call>',
    ],
    ['when there are no arguments', '<tool_call>{"name": "get_weather", "arguments": Oslo}</tool_call>'],
    [
      'when the text is long',
      `<tool_call>{"name": "get_weather", "arguments": {city: ${'x'.repeat(9000)}}}</tool_call>`,
    ],
  ])('%s', (_, content) => {
    expect(readCalls(content)).toBe('malformed');
  });
});

it('tries at most eight times in one reply', () => {
  const one = '<tool_call>{"name": "get_weather", "arguments": {city: Oslo}}</tool_call>\n';
  expect(readCalls(one.repeat(20))).toHaveLength(8);
});
