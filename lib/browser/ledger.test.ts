import { expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { emptyRunState } from '../events/run-state.ts';
import { completedLog, endedLog, repairedLog, type SampleLog, verifiedLog } from '../testing/sample-logs.ts';
import { exploreLog, sessionLog } from '../testing/sample-modes.ts';
import { ledgerOf } from './ledger.ts';

const gauges = (log: SampleLog, now = 0) =>
  Object.fromEntries(
    ledgerOf(foldAll(emptyRunState(log.runId), log.events), now).map((gauge) => [gauge.id, gauge]),
  );

it('G6: shows three identical rounds as 3/3, the refused one included', () => {
  expect(gauges(endedLog('repetition')).repetition).toMatchObject({ used: 3, limit: 3, tone: 'reached' });
});

it('G10: counts the rounds since a file was written', () => {
  expect(gauges(endedLog('stall')).stall).toMatchObject({ value: '5/5', tone: 'reached' });
});

it('G5, G14: shows iterations and nudges against their limits', () => {
  expect(gauges(endedLog('max_iterations')).iterations).toMatchObject({ value: '10/10', tone: 'reached' });
  expect(gauges(endedLog('nudge_exhausted')).nudges).toMatchObject({ value: '2/2', tone: 'reached' });
  expect(gauges(repairedLog()).nudges).toMatchObject({ value: '1/2', tone: 'near' });
});

it('C2: marks on the window where older results are shortened', () => {
  expect(gauges(completedLog()).context).toMatchObject({ limit: 32_768, mark: 0.75, tone: 'calm' });
});

it('V2: shows budgets only when they are set', () => {
  expect(gauges(completedLog()).tokens).toBeUndefined();
  expect(gauges(verifiedLog()).tokens).toMatchObject({ limit: 60_000 });
});

it('K-12: leaves the stall guard out when it is off', () => {
  expect(gauges(completedLog({ config: { stall_guard: false } })).stall).toBeUndefined();
});

it('S17, X22: sessions and explorations show what bounds them, and no limit of iterations', () => {
  expect(Object.keys(gauges(sessionLog()))).toEqual(['conversation', 'empty', 'context']);
  const cycles = gauges(exploreLog(4));
  expect(Object.keys(cycles)).toEqual(['cycles', 'calls-per-cycle', 'conversation', 'context']);
  expect(cycles.cycles).toMatchObject({ used: 4, limit: 4 });
});
