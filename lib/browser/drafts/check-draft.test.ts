import { describe, expect, it } from 'vitest';
import type { Check } from '../../events/check.ts';
import { MODES } from '../../events/modes.ts';
import {
  type CheckField,
  choiceFacts,
  draftOfCheck,
  newCheck,
  offeredChoices,
  readCheck,
} from './check-draft.ts';

const tools = MODES.task.tools;
const all: Check[] = [
  { type: 'command', command: 'npm test' },
  { type: 'file_exists', path: 'a.md' },
  { type: 'file_contains', path: 'a.md', text: ' two  spaces ' },
  { type: 'answer_contains', text: 'Paris' },
  { type: 'answer_contains', text: ['4', 'four\nlines', '[5]'] },
  { type: 'answer_contains', text: 'Paris', case_sensitive: true },
  { type: 'answer_matches', pattern: '^\\d+ $', case_sensitive: true },
  { type: 'answer_equals', value: '42' },
  { type: 'answer_equals', value: 42, tolerance: 0.5 },
  { type: 'answer_equals', value: -3e-7 },
  { type: 'answer_schema', schema: { type: 'object', required: ['a'] } },
  { type: 'tool_called', tool: 'read_file' },
  { type: 'tool_called', tool: 'read_file', arguments: { path: 'a.md' }, at_least: 0, at_most: 3 },
  { type: 'tool_not_called', tool: 'run_command' },
  { type: 'iterations_at_most', iterations: 4 },
  { type: 'rubric', criteria: 'Names the cause.\nIs polite.' },
  { type: 'rubric', criteria: 'Is polite.', model: 'qwen3:8b' },
];

describe('the checks of the form', () => {
  it.each(all)('fills in %o and reads it again', (check) => {
    expect(readCheck(draftOfCheck(check), tools)).toEqual({ ok: true, check });
  });

  it('offers only checks of the answer and opinions on it for a single answer, and refuses others', () => {
    const offered = offeredChoices({ tools: [], withCommands: true });
    expect(new Set(offered.map((choice) => choiceFacts(choice).group))).toEqual(
      new Set(['Answer', 'Opinion']),
    );
    expect(offeredChoices({ tools, withCommands: false })).not.toContain('command');
    expect(readCheck(draftOfCheck({ type: 'file_exists', path: 'a' }), [])).toMatchObject({
      problem: expect.stringContaining('needs a run with tools'),
    });
  });

  it.each<[Parameters<typeof newCheck>[0], Partial<Record<CheckField, string>>, string]>([
    ['file_contains', { path: 'a.md' }, 'Fill in “Text”, or remove the check.'],
    ['answer_contains_any', { texts: '4, four' }, 'Texts: A list of texts, such as ["4", "four"].'],
    ['answer_contains_any', { texts: '["4", ""]' }, 'Texts: A list of texts, such as ["4", "four"].'],
    ['answer_number', { value: 'many' }, 'Value: A number.'],
    ['answer_number', { value: '1', tolerance: '-1' }, 'Tolerance: A number of at least 0.'],
    [
      'answer_schema',
      { schema: '[]' },
      'JSON schema: A JSON object, such as {"type": "object", "required": ["city"]}.',
    ],
    [
      'answer_matches',
      { pattern: '(' },
      '"(" is not a valid regular expression (JavaScript, with the flag u).',
    ],
    ['tool_called', { tool: 'read_file', at_most: '0' }, 'At most: A whole number from 1 to 1000.'],
    ['iterations_at_most', { iterations: '1.5' }, 'Iterations: A whole number from 1 to 1000.'],
  ])('says what is wrong with %s', (choice, texts, problem) => {
    expect(readCheck({ ...newCheck(choice), texts }, tools)).toEqual({ ok: false, problem });
  });
});
