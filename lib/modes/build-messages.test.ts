import { expect, it } from 'vitest';
import { emptyRunState } from '../events/run-state.ts';
import { tool } from '../parser/testing/tools.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import { taskText } from './build-messages.ts';

const state = {
  ...emptyRunState('run'),
  config: sampleConfig(),
  attempts: [{ attempt: 1, reason: 'final_answer' as const, output: 'Done.', checks: [] }],
};

it.each(['run_command', 'custom__lint', 'notes__add'])('tells of work that %s may have done [V6]', (name) => {
  expect(taskText(state, [tool('write_file'), tool(name)])).toContain(
    'Changes made by commands and other tools',
  );
});

it('mentions no other work if the log knows all of it', () => {
  const text = taskText(state, [tool('write_file'), tool('search_files'), tool('fetch_url')]);
  expect(text).toContain('No file has been written so far.');
});
