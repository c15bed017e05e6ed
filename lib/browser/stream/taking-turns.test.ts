import { expect, it } from 'vitest';
import { summarizeRun } from '../../api/summarize-run.ts';
import { foldAll } from '../../events/fold-run.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { completedLog } from '../../testing/sample-logs.ts';
import { takesTurnsWith } from './taking-turns.ts';

const { events } = completedLog();
const finished = summarizeRun(foldAll(emptyRunState(events[0]?.run_id ?? ''), events));
const endless = {
  ...finished,
  phase: 'calling' as const,
  mode: 'session' as const,
  max_iterations: 0,
  model: 'a',
};

it('names an endless run of another model, and no other', () => {
  expect(takesTurnsWith([finished, endless], 'b')).toBe(endless);
  expect(takesTurnsWith([finished, endless], 'a')).toBeUndefined();
  expect(takesTurnsWith([finished, endless], 'a:latest')).toBeUndefined();
  expect(takesTurnsWith([{ ...endless, phase: 'ended' }], 'b')).toBeUndefined();
  expect(takesTurnsWith([{ ...endless, phase: 'awaiting-message' }], 'b')).toBeUndefined();
  expect(takesTurnsWith([{ ...endless, max_iterations: 20 }], 'b')).toBeUndefined();
  expect(takesTurnsWith([endless], '')).toBeUndefined();
});
