import { describe, expect, it } from 'vitest';
import { completedLog, endedLog, SampleLog, sampleFork, verifiedLog } from '../testing/sample-logs.ts';
import { exploreLog } from '../testing/sample-modes.ts';
import { foldAll } from './fold-run.ts';
import { checksWords, OUTCOMES, outcomeWords } from './outcome.ts';
import { outcomeAt } from './outcome-at.ts';
import type { RunEvent } from './registry.ts';
import { emptyRunState } from './run-state.ts';
import { terminationReason } from './termination.ts';

const fold = (events: readonly RunEvent[]) => foldAll(emptyRunState(events[0]?.run_id ?? ''), events);

/** A run, optionally with a truncated last reply, with the given number of failed checks. */
function answered({ cut = false, failed = 0, total = 0 } = {}): SampleLog {
  const log = new SampleLog().prepare().round({ text: 'tick tock', parsed: { cut } });
  if (total > 0) {
    log.push({ type: 'verification.started', attempt: 1, reason: 'final_answer', output: 'tick tock' });
    const check = { type: 'file_exists', path: 'a.md' } as const;
    const checks = Array.from({ length: total }, (_, index) => ({
      ...{ check, passed: index >= failed, output: '', duration_ms: 1 },
    }));
    log.push({ type: 'verification.checked', attempt: 1, outcome: 'partial_pass', checks });
  }
  return log.end('final_answer', { message: 'It answered.', output: 'tick tock' });
}

describe('the outcome of a log from before it was recorded', () => {
  it.each([
    [{}, { kind: 'answered' }],
    [{ cut: true }, { kind: 'answered_cut_off' }],
    [
      { failed: 1, total: 3 },
      { kind: 'answered_checks_failed', checks: { failed: 1, total: 3 } },
    ],
    [
      { failed: 0, total: 3 },
      { kind: 'answered', checks: { failed: 0, total: 3 } },
    ],
    [
      { cut: true, failed: 3, total: 3 },
      { kind: 'answered_cut_off', checks: { failed: 3, total: 3 } },
    ],
  ])('with %j is %j', (facts, outcome) => {
    expect(fold(answered(facts).events).outcome).toEqual(outcome);
  });

  it('is the reason if the model did not answer', () => {
    for (const reason of terminationReason.exclude(['final_answer']).options) {
      expect(fold(endedLog(reason).events).outcome).toEqual({ kind: reason });
    }
  });

  it('counts the checks of the last attempt', () => {
    expect(fold(verifiedLog().events).outcome).toMatchObject({
      kind: 'answered',
      checks: { failed: 0, total: 2 },
    });
  });

  it('is not an answer for a completed exploration', () => {
    const log = exploreLog(2);
    expect(fold(log.events).outcome).toEqual({ kind: 'cycles_done' });
  });

  it('is missing while the run is active', () => {
    expect(fold(answered().events.slice(0, -1)).outcome).toBeUndefined();
  });
});

it('prefers the recorded outcome over the derived one', () => {
  const events = completedLog().events.map((event) =>
    event.type === 'run.ended' ? { ...event, outcome: { kind: 'announced_work_did_none' as const } } : event,
  );
  expect(fold(events).outcome).toEqual({ kind: 'announced_work_did_none' });
});

it('reports an announcement only if not all checks pass', () => {
  const kindOf = (checks: { failed: number; total: number }) =>
    outcomeAt(fold(answered(checks).events.slice(0, -1)), 'final_answer', { announcedOnly: true }).kind;
  expect(kindOf({ failed: 1, total: 2 })).toBe('announced_work_did_none');
  expect(kindOf({ failed: 0, total: 2 })).toBe('answered');
});

it('an edited reply in a fork no longer counts as cut off', () => {
  const { events } = answered({ cut: true });
  const seq = events.findLast(({ type }) => type === 'reply.parsed')?.seq ?? 0;
  const fork = (edits: ReturnType<typeof sampleFork>['edits']): RunEvent[] => [
    ...events.slice(0, seq),
    { ...sampleFork({ run_id: 'sample', seq }), edits, run_id: 'sample', seq: seq + 1, at: 1 },
  ];
  const edit = { target: 'reply', seq, before: 'tick tock', after: 'All of it.' } as const;
  expect(outcomeAt(fold(fork([])), 'final_answer').kind).toBe('answered_cut_off');
  expect(outcomeAt(fold(fork([edit])), 'final_answer').kind).toBe('answered');
  expect(fold(fork([edit])).reply).toMatchObject({ text: 'All of it.', cut: false });
});

describe('outcome labels', () => {
  it('are those that people see everywhere', () => {
    expect(outcomeWords({ kind: 'answered' })).toEqual({ label: 'Answered', tone: 'ok' });
    expect(outcomeWords({ kind: 'answered_cut_off' })).toEqual({ label: 'Answered, cut off', tone: 'warn' });
    expect(outcomeWords({ kind: 'announced_work_did_none' })).toEqual({
      label: 'Announced work, did none',
      tone: 'warn',
    });
    const failed = (count: number, total: number) =>
      outcomeWords({ kind: 'answered_checks_failed', checks: { failed: count, total } });
    expect(failed(1, 3)).toEqual({ label: 'Answered, 1 of 3 checks failed', tone: 'warn' });
    expect(failed(1, 1)).toEqual({ label: 'Answered, 1 of 1 check failed', tone: 'fail' });
    expect(outcomeWords({ kind: 'answered_checks_failed' }).label).toBe('Answered, checks failed');
  });

  it('are green only for a complete answer and for all cycles', () => {
    const green = Object.entries(OUTCOMES).filter(([, { tone }]) => tone === 'ok');
    expect(green.map(([kind]) => kind)).toEqual(['answered', 'cycles_done']);
  });

  it('count the checks that passed', () => {
    expect(checksWords({ failed: 1, total: 3 })).toEqual({ label: '2 of 3 checks passed', tone: 'warn' });
    expect(checksWords({ failed: 0, total: 1 })).toEqual({ label: '1 of 1 check passed', tone: 'ok' });
    expect(checksWords({ failed: 2, total: 2 })).toEqual({ label: '0 of 2 checks passed', tone: 'fail' });
  });
});
