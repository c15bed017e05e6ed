import { expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { runEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { terminationReason } from '../events/termination.ts';
import {
  callingLog,
  completedLog,
  endedLog,
  longLog,
  repairedLog,
  runningLog,
  type SampleLog,
  verifiedLog,
} from './sample-logs.ts';
import { eatenLog, stoppedCallLog, truthLog } from './sample-truth.ts';

const logs: [string, SampleLog][] = [
  ['completed', completedLog()],
  ['running', runningLog()],
  ['calling', callingLog()],
  ['repaired', repairedLog()],
  ['verified', verifiedLog()],
  ['long', longLog(500)],
  ['truth', truthLog()],
  ['eaten', eatenLog()],
  ['stopped call', stoppedCallLog()],
  ...terminationReason.options.map((reason): [string, SampleLog] => [reason, endedLog(reason)]),
];

it.each(logs)('the sample log "%s" is valid and folds without a gap [E9]', (_name, log) => {
  for (const event of log.events) runEvent.parse(event);
  expect(foldAll(emptyRunState(log.runId), log.events).seq).toBe(log.events.length);
});
