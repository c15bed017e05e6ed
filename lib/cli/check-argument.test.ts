import { expect, it } from 'vitest';
import { check } from '../events/check.ts';
import { CHECK_USAGE, readCheckArgument } from './check-argument.ts';

it.each<[string, object]>([
  ['command=test -s a.md', { type: 'command', command: 'test -s a.md' }],
  ['file_exists=a=b.md', { type: 'file_exists', path: 'a=b.md' }],
  ['file_contains=a.md:Note: done', { type: 'file_contains', path: 'a.md', text: 'Note: done' }],
  ['answer_contains=Paris', { type: 'answer_contains', text: 'Paris' }],
  ['answer_matches=^\\d+$', { type: 'answer_matches', pattern: '^\\d+$' }],
  ['answer_equals=42', { type: 'answer_equals', value: 42 }],
  ['answer_equals=forty-two', { type: 'answer_equals', value: 'forty-two' }],
  ['answer_schema={"type":"array"}', { type: 'answer_schema', schema: { type: 'array' } }],
  ['tool_called=read_file', { type: 'tool_called', tool: 'read_file' }],
  ['tool_not_called=run_command', { type: 'tool_not_called', tool: 'run_command' }],
  ['iterations_at_most=4', { type: 'iterations_at_most', iterations: 4 }],
  ['rubric=Is polite: always', { type: 'rubric', criteria: 'Is polite: always' }],
  [
    '{"type":"answer_equals","value":42,"tolerance":0.5}',
    { type: 'answer_equals', value: 42, tolerance: 0.5 },
  ],
])('--check %s', (text, expected) => {
  expect(readCheckArgument(text)).toEqual({ check: expected });
  expect(check.parse(expected)).toEqual(expected);
});

it('can express every kind', () => {
  expect(CHECK_USAGE).toHaveLength(check.options.length);
});

it.each([
  ['answer_contain=x', 'does not begin with a kind of check; did you mean "answer_contains"?'],
  ['file_exists', 'must be file_exists=PATH.'],
  ['file_contains=a.md', 'must be file_contains=PATH:TEXT.'],
  ['answer_schema=no', 'must be answer_schema=JSON.'],
  ['{"type":', 'is not valid JSON.'],
])('--check %s is refused', (text, problem) => {
  expect(readCheckArgument(text)).toEqual({ problem });
});
