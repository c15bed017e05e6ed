import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memorySizes } from '../../events/cycle-table.ts';
import { foldAll } from '../../events/fold-run.ts';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { PROMPT_ROLES } from '../../events/prompt-role.ts';
import { noPrompts, PromptFold } from '../../events/prompt-roles.ts';
import type { RunEvent } from '../../events/registry.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { tokensPerSecond } from '../../events/speed.ts';
import { cpuMs } from '../../testing/cpu-time.ts';
import { approvalLog, longLog, type SampleCall, SampleLog, verifiedLog } from '../../testing/sample-logs.ts';
import { exploreLog, sessionLog } from '../../testing/sample-modes.ts';
import { alignTimes } from './aligned-times.ts';
import { groupCycles } from './explore-series.ts';
import { groupSteps, runSteps } from './run-steps.ts';
import { TIME_KINDS, totalTimes } from './series.ts';
import { layOutTimes, SHORT_WAIT_MS, timeBins } from './time-layout.ts';
import { callTimes } from './waterfall.ts';

const ms = fc.integer({ min: 0, max: 90_000 });
const call = fc.record({
  tool: fc.constantFrom('read_file', 'write_file', '__proto__'),
  ms,
  fails: fc.boolean(),
});
const round = fc.record({
  ms,
  loadMs: fc.constantFrom(0, 21, 4000),
  thinking: fc.constantFrom(undefined, 'Let me think about this for a while.'),
  calls: fc.array(call, { maxLength: 3 }),
  pause: ms,
  failure: fc.boolean(),
  skew: fc.integer({ min: -500, max: 500 }),
});

/** A run with any durations, failed calls, and a clock that is sometimes set back. */
const anyLog = fc
  .record({
    loadMs: fc.constantFrom(0, 800, 60_000),
    rounds: fc.array(round, { maxLength: 12 }),
    ends: fc.boolean(),
  })
  .map(({ loadMs, rounds, ends }) => {
    const log = new SampleLog().prepare({ loadMs, warm: loadMs === 0 });
    for (const each of rounds) {
      log.iteration().callStarts();
      if (each.failure) {
        log.callFails(
          { kind: 'cut_off', error: { code: 'cut_off', message: 'The reply was cut off.' } },
          each.ms,
        );
        log.push(
          {
            type: 'policy.retried',
            iteration: 1,
            cause: 'transient',
            message: 'Again.',
            wait_ms: each.pause,
          },
          each.skew,
        );
        log.callStarts();
      }
      const calls = each.calls.map(
        ({ tool, ms: took, fails }): SampleCall => ({
          ...{ name: tool, arguments: {}, ms: took },
          result: fails ? { error: 'No such file.' } : { output: 'text' },
        }),
      );
      log
        .reply({ text: 'Reading on.', thinking: each.thinking, ms: each.ms, loadMs: each.loadMs, calls })
        .tools(calls);
    }
    if (ends) log.end('final_answer', { message: 'Done.', output: 'Done.' });
    return log.events;
  });

function plotted(events: readonly RunEvent[]) {
  const fold = new PromptFold(noPrompts);
  const run = foldAll(emptyRunState('sample'), events, (state, event) => fold.take(state, event));
  const { rows, cycles } = foldTimeline(emptyTimeline, events);
  return { run, rows, cycles, prompts: fold.history.prompts };
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

it('the segments of all calls cover a run without gaps, and their sums are its duration', () => {
  fc.assert(
    fc.property(anyLog, ms, (events, later) => {
      const { rows, run } = plotted(events);
      const created = events[0]?.at ?? 0;
      const until = Math.max(...events.map(({ at }) => at)) + later;
      const times = callTimes(rows, until);
      let at = created;
      for (const { segments, from, to } of times) {
        expect(from).toBe(at);
        for (const segment of segments) {
          expect(segment.from).toBe(at);
          expect(segment.to).toBeGreaterThan(segment.from);
          at = segment.to;
        }
        expect(to).toBe(at);
      }
      expect(at).toBe(until);
      expect(times.filter((time) => time.call > 0)).toHaveLength(run.calls);
      expect(sum(Object.values(totalTimes(times)))).toBeCloseTo(until - created);
    }),
  );
});

it('the phases of a call last as long as the call took', () => {
  const log = new SampleLog().prepare();
  log.iteration().callStarts().reply({ text: 'Hello.', ms: 10_000 });
  const [, called] = callTimes(plotted(log.events).rows, log.events.at(-1)?.at ?? 0);
  const totals = totalTimes(called ? [called] : []);
  expect(totals.prompt).toBe(1800);
  expect(totals.writing).toBe(7800);
  expect(sum(Object.values(totals))).toBe((called?.to ?? 0) - (called?.from ?? 0));
});

it('counts a wait for approval as waiting, and names the reason', () => {
  const times = callTimes(
    plotted(approvalLog().events).rows,
    (approvalLog().events.at(-1)?.at ?? 0) + 60_000,
  );
  const waits = times.flatMap(({ segments }) => segments.filter(({ detail }) => detail === 'approval'));
  expect(waits.at(-1)?.to).toBe((approvalLog().events.at(-1)?.at ?? 0) + 60_000);
});

it('runs are aligned by iteration, and none loses time', () => {
  fc.assert(
    fc.property(fc.array(anyLog, { maxLength: 4 }), (logs) => {
      const all = logs.map((events) => {
        const { rows, run } = plotted(events);
        return { times: callTimes(rows, Math.max(...events.map(({ at }) => at))), run };
      });
      const aligned = alignTimes(all.map(({ times }) => times));
      let start = 0;
      for (const time of aligned) {
        expect(time.start).toBeCloseTo(start);
        expect(time.length).toBe(Math.max(...time.runs.map((own) => own?.length ?? 0)));
        start += time.length;
      }
      for (const [index, { times, run }] of all.entries()) {
        expect(aligned.filter((time) => time.position > 0 && time.runs[index])).toHaveLength(
          run.iterationsUsed,
        );
        expect(sum(aligned.map((time) => time.runs[index]?.length ?? 0))).toBeCloseTo(
          sum(Object.values(totalTimes(times))),
        );
      }
    }),
  );
});

it('combined rows, shortened waits and bins keep the time of each kind', () => {
  fc.assert(
    fc.property(anyLog, fc.integer({ min: 1, max: 20 }), (events, maxRows) => {
      const times = callTimes(plotted(events).rows, Math.max(...events.map(({ at }) => at)));
      const totals = totalTimes(times);
      const { rows, length } = layOutTimes(times, { maxRows });
      expect(rows.length).toBeLessThanOrEqual(maxRows);
      expect(sum(rows.map((row) => row.calls))).toBe(times.length);
      for (const kind of TIME_KINDS) {
        const drawn = rows.flatMap(({ segments }) => segments.filter((segment) => segment.kind === kind));
        expect(sum(drawn.map(({ start, end }) => end - start))).toBeCloseTo(totals[kind]);
        expect(sum(rows.map((row) => row.totals[kind]))).toBeCloseTo(totals[kind]);
      }
      const short = layOutTimes(times, { maxRows, longestWaitMs: SHORT_WAIT_MS });
      expect(short.length).toBeLessThanOrEqual(length + 0.001);
      const bins = timeBins(times, 40);
      for (const { shares } of bins) expect(sum(Object.values(shares))).toBeCloseTo(1);
      for (const kind of TIME_KINDS) {
        expect((sum(bins.map(({ shares }) => shares[kind])) * length) / 40).toBeCloseTo(totals[kind], 3);
      }
    }),
  );
});

it('the roles of each prompt sum to its estimate, and groups keep all tokens', () => {
  fc.assert(
    fc.property(anyLog, fc.integer({ min: 1, max: 20 }), (events, most) => {
      const { rows, prompts, run } = plotted(events);
      const steps = runSteps({ rows, prompts, run });
      expect(steps).toHaveLength(run.iterationsUsed);
      for (const { roles, estimated } of steps) {
        expect(sum(PROMPT_ROLES.map((role) => roles?.[role] ?? 0))).toBeCloseTo(estimated);
      }
      const groups = groupSteps(steps, most);
      expect(groups.length).toBeLessThanOrEqual(most);
      expect(sum(groups.map(({ tokensIn }) => tokensIn))).toBe(run.tokensIn);
      expect(sum(groups.map(({ tokensOut }) => tokensOut))).toBe(run.tokensOut);
      for (const { rate } of groups) {
        if (rate) expect(rate.low <= rate.mean + 1e-9 && rate.mean <= rate.high + 1e-9).toBe(true);
      }
    }),
  );
});

it('measures the speed of an iteration by the calls that count for the speed of its run', () => {
  const { events } = new SampleLog()
    .prepare()
    .iteration()
    .callStarts()
    .reply({ text: 'Cut off' })
    .callStarts()
    .reply({ text: 'Done.' });
  const untimed = { tokens: 500, ms: undefined };
  const of = (first: { tokens: number; ms: number | undefined }) => {
    const counts = [first, { tokens: 100, ms: 2000 }];
    const { rows, prompts, run } = plotted(
      events.map((event): RunEvent => {
        if (event.type !== 'model-call.ended') return event;
        const { tokens, ms: evalMs } = counts[event.call - 1] ?? untimed;
        return { ...event, reply_tokens: tokens, timings: { ...event.timings, evalMs } };
      }),
    );
    expect(tokensPerSecond(run.spent.writtenTokens, run.spent.writingMs)).toBe(50);
    return runSteps({ rows, prompts, run }).map(({ rate }) => rate);
  };
  // A proxy removed the time of the first call, or its reply was too short to be timed.
  expect(of(untimed)).toEqual([50]);
  expect(of({ tokens: 9, ms: 1 })).toEqual([50]);
});

it('the memory grows and shrinks with its changes, and groups of cycles keep all calls', () => {
  for (const most of [1, 7, 100]) {
    const { cycles, run } = plotted(exploreLog(23).events);
    const sizes = memorySizes(cycles.cycles, cycles.changes);
    expect(sizes).toHaveLength(23);
    expect(sizes.at(-1)?.keys).toBe(run.memory.size);
    expect(sizes.at(-1)?.chars).toBe(
      sum([...run.memory].map(([key, { value }]) => key.length + value.length)),
    );
    const groups = groupCycles(cycles.cycles, most);
    expect(groups.length).toBeLessThanOrEqual(most);
    expect(sum(groups.flatMap(({ tools }) => Object.values(tools)))).toBe(run.toolCalls);
  }
});

it.each([
  ['a session', sessionLog().events],
  ['a verified run', verifiedLog().events],
  ['a run that has only been created', new SampleLog().events],
])('plots %s', (_name, events) => {
  const { rows, prompts, run } = plotted(events);
  const times = callTimes(rows, run.updatedAt);
  expect(sum(Object.values(totalTimes(times)))).toBeCloseTo(run.updatedAt - run.createdAt);
  expect(runSteps({ rows, prompts, run })).toHaveLength(run.iterationsUsed);
});

it('computes the series of 10,000 events well within the half second between two drawings', () => {
  const { rows, prompts, run } = plotted(longLog(10_000).events);
  const spent = cpuMs(() => {
    const times = callTimes(rows, run.updatedAt);
    layOutTimes(times, { maxRows: 48 });
    timeBins(times, 160);
    groupSteps(runSteps({ rows, prompts, run }), 120);
  });
  expect(spent).toBeLessThan(250);
});
