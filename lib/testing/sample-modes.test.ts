import { expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { runEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { exploreLog, sessionLog, stoppedSessionLog } from './sample-modes.ts';

it.each([
  ['session', sessionLog()],
  ['stopped session', stoppedSessionLog()],
  ['exploration', exploreLog(9)],
  ['open exploration', exploreLog(4, { open: true })],
])('the sample log "%s" is valid and folds without a gap [E9]', (_name, log) => {
  for (const event of log.events) runEvent.parse(event);
  expect(foldAll(emptyRunState(log.runId), log.events).seq).toBe(log.events.length);
});
