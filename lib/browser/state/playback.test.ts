import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldAll } from '../../events/fold-run.ts';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { emptyRunState } from '../../events/run-state.ts';
import type { ShownEvent } from '../../events/timeline.ts';
import { completedLog, endedLog, longLog, repairedLog, verifiedLog } from '../../testing/sample-logs.ts';
import { exploreLog, sessionLog } from '../../testing/sample-modes.ts';
import { createRecording, laneOf, marksByPixel, paceOf, seqAt, timeOf, trackOf, wallAt } from './playback.ts';

const logs: readonly (readonly ShownEvent[])[] = [
  completedLog({}).events,
  endedLog('repetition').events,
  repairedLog({}).events,
  verifiedLog({}).events,
  sessionLog({}).events,
  exploreLog(6).events,
  longLog(1200).events,
];
const anyLog = fc.constantFrom(...logs);

/** A log with irregular timestamps that repeat, jump ahead by hours and go back. */
const anyTimes = fc
  .tuple(anyLog, fc.infiniteStream(fc.integer({ min: -5000, max: 7_200_000 })))
  .map(([events, gaps]) => {
    let at = 1_700_000_000_000;
    return events.map((event): ShownEvent => {
      at += gaps.next().value ?? 0;
      return { ...event, at };
    });
  });

it('shows the fold of the log up to the cursor, however the cursor got there', () => {
  fc.assert(
    fc.property(
      anyLog,
      fc.array(fc.nat({ max: 1300 }), { minLength: 1, maxLength: 12 }),
      (events, visits) => {
        const recording = createRecording(events);
        for (const wanted of visits) {
          const seq = Math.min(wanted, events.length);
          const { run, timeline } = recording.at(wanted);
          expect(run).toEqual(foldAll(emptyRunState(events[0]?.run_id ?? ''), events.slice(0, seq)));
          expect(timeline).toEqual(foldTimeline(emptyTimeline, events.slice(0, seq)));
        }
      },
    ),
    { numRuns: 40 },
  );
});

it('at its end a replay is the whole run', () => {
  for (const events of logs) {
    const recording = createRecording(events);
    expect(recording.at(Number.MAX_SAFE_INTEGER).run.seq).toBe(events.length);
  }
});

it('the cursor never moves back, in real or in compressed time', () => {
  const times = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 30 });
  const waits = fc.constantFrom(Number.POSITIVE_INFINITY, 800, 1);
  fc.assert(
    fc.property(anyTimes, waits, times, (events, wait, shares) => {
      const pace = paceOf(events, wait);
      const seqs = shares.toSorted((a, b) => a - b).map((share) => seqAt(pace, share * pace.lengthMs));
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect(seqAt(pace, pace.lengthMs)).toBe(events.length);
      expect(seqAt(pace, -1)).toBe(1);
    }),
    { numRuns: 60 },
  );
});

it('compressing never changes the order of events nor makes a wait longer', () => {
  fc.assert(
    fc.property(anyTimes, fc.integer({ min: 1, max: 60_000 }), (events, wait) => {
      const recorded = paceOf(events);
      const compressed = paceOf(events, wait);
      expect(compressed.times).toHaveLength(events.length);
      for (let seq = 2; seq <= events.length; seq += 1) {
        const before = timeOf(recorded, seq) - timeOf(recorded, seq - 1);
        const after = timeOf(compressed, seq) - timeOf(compressed, seq - 1);
        expect(after).toBeGreaterThanOrEqual(0);
        expect(after).toBeLessThanOrEqual(Math.min(before, wait));
      }
    }),
    { numRuns: 60 },
  );
});

it('runs the clock of a skipped wait faster, from its beginning to its end', () => {
  const [first, second, ...rest] = completedLog({}).events;
  if (!first || !second) throw new Error('a log has a beginning');
  const events = [
    { ...first, at: 1000 },
    { ...second, at: 61_000 },
    ...rest.map((event) => ({ ...event, at: 61_000 })),
  ];
  const recording = createRecording(events);
  const pace = paceOf(events, 600);
  expect([0, 300, 600].map((ms) => wallAt(recording, pace, ms))).toEqual([1000, 31_000, 61_000]);
});

it('draws a track of any length in a bounded number of pieces', () => {
  const { events } = longLog(4000);
  const { spans, marks } = trackOf(events);
  const pace = paceOf(events);
  expect(spans.length).toBeGreaterThan(1000);
  for (const kind of ['model', 'tool'] as const) {
    const lane = laneOf(
      spans.filter((span) => span.kind === kind),
      pace,
      300,
    );
    expect(lane.length).toBeLessThanOrEqual(301);
    for (const { from, to } of lane) expect(0 <= from && from <= to && to <= 1).toBe(true);
  }
  expect(marksByPixel(marks, pace, 300).length).toBeLessThanOrEqual(301);
});

it('marks iterations, failed calls and what the harness decided; in an exploration, cycles', () => {
  const marksIn = (events: readonly ShownEvent[]) => {
    const { marks } = trackOf(events);
    return marks.map(({ kind, seq }) => `${kind}: ${events[seq - 1]?.type}`);
  };
  expect(marksIn(completedLog({}).events).filter((mark) => mark.startsWith('step'))).toEqual(
    Array.from({ length: 4 }, () => 'step: iteration.started'),
  );
  expect(new Set(marksIn(exploreLog(6).events).filter((mark) => mark.startsWith('step')))).toEqual(
    new Set(['step: cycle.started']),
  );
});

it('reaches any of 10,000 events by folding a few hundred of them', () => {
  const { events } = longLog(10_000);
  let folded = 0;
  const counted = Object.assign([...events], {
    slice(from: number, to: number) {
      folded += to - from;
      return events.slice(from, to);
    },
  });
  const recording = createRecording(counted);
  recording.at(events.length);
  expect(folded).toBe(events.length);
  for (let visit = 1; visit <= 100; visit += 1) {
    folded = 0;
    recording.at((visit * 7919) % events.length);
    expect(folded).toBeLessThanOrEqual(256);
  }
});
