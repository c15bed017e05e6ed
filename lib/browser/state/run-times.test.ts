import { expect, it } from 'vitest';
import type { RunSummary } from '../../api/run-summary.ts';
import { estimateTime, runTime } from './run-times.ts';

const run = (seconds: number, change: Partial<RunSummary> = {}): RunSummary => ({
  ...{ id: 'r', mode: 'task', agentic: true, model: 'a', title: 't', phase: 'ended', created_at: 0 },
  ...{ started_at: 1000, ended_at: 90_000_000, worked_ms: seconds * 1000, updated_at: 0, iterations_used: 1 },
  ...{ max_iterations: 0, turns: 0, cycles: 0, tokens_in: 0, tokens_out: 0, tool_calls: 0 },
  ...{ stop_requested: false, last_seq: 1 },
  ...change,
});

it('takes the mean of runs of the same kind that ended by themselves', () => {
  const runs = [
    ...[run(10), run(30), run(20)],
    run(900, { agentic: false }),
    run(1, { termination_reason: 'stopped' }),
    ...[1, 2, 3].map((seconds) => run(seconds, { termination_reason: 'error' })),
    run(1, { started_at: undefined, worked_ms: undefined }),
  ];
  expect(runTime('a', 'task', runs)).toEqual({ model: 'a', runs: 3, ms: 20_000 });
  expect(runTime('a', 'prompt', runs)).toEqual({ model: 'a', runs: 1, ms: 900_000 });
  expect(runTime('a', 'explore', runs)).toEqual({ model: 'a', runs: 0 });
});

it('estimates the total of as many runs as were measured as their sum, even if a few take much longer', () => {
  const seconds = [10, 12, 14, 16, 248];
  const time = runTime(
    'a',
    'task',
    seconds.map((each) => run(each)),
  );
  expect(estimateTime([time], seconds.length).ms).toBe(300_000);
});

it('measures a run that an error ended after a reply', () => {
  const failed = run(40, { termination_reason: 'error', tokens_out: 7 });
  expect(runTime('a', 'task', [failed])).toEqual({ model: 'a', runs: 1, ms: 40_000 });
});

it('adds up the models that were measured, and names the others', () => {
  const times = [
    { model: 'a', runs: 3, ms: 2000 },
    { model: 'b', runs: 0 },
    { model: 'c', runs: 1, ms: 500 },
  ];
  expect(estimateTime(times, 4)).toEqual({ ms: 10_000, measured: 4, unknown: ['b'] });
  expect(estimateTime([], 4)).toEqual({ ms: 0, measured: 0, unknown: [] });
});
