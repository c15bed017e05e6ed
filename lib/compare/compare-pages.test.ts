import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import {
  approvalLog,
  choiceEvents,
  completedLog,
  endedLog,
  longLog,
  repairedLog,
  SampleLog,
  verifiedLog,
} from '../testing/sample-logs.ts';
import { exploreLog, sessionLog } from '../testing/sample-modes.ts';
import type { Comparison, Side } from './compare.ts';
import { agreementOf, compareLogs, figuresOf } from './compare-logs.ts';
import { agreementOfPages, comparePages } from './compare-pages.ts';

const never = new AbortController().signal;
const all = { from: 1, maxChars: Number.POSITIVE_INFINITY };

async function* paged(events: readonly RunEvent[], size = 7) {
  for (let start = 0; start < events.length; start += size) yield events.slice(start, start + size);
}

async function inPages(left: readonly RunEvent[], right: readonly RunEvent[], sizes = [7, 7], texts = all) {
  return comparePages({
    left: paged(left, sizes[0]),
    right: paged(right, sizes[1]),
    texts,
    signal: never,
  });
}

const choices = fc.array(fc.nat(4), { maxLength: 8 });
const size = fc.integer({ min: 1, max: 60 });
const samples: readonly (readonly RunEvent[])[] = [
  completedLog(),
  sessionLog(),
  exploreLog(5),
  approvalLog(),
  repairedLog(),
  verifiedLog(),
  endedLog('repetition'),
  longLog(2000),
].map(({ events }) => events);

describe('comparing pages equals comparing complete logs', () => {
  it('for any two runs and any page size', async () => {
    await fc.assert(
      fc.asyncProperty(choices, choices, size, size, async (a, b, one, other) => {
        const [left, right] = [choiceEvents(a), choiceEvents(b)];
        expect(await inPages(left, right, [one, other])).toEqual(compareLogs(left, right));
      }),
    );
  });

  it('for runs of every mode', async () => {
    for (const left of samples) {
      for (const right of samples) {
        expect(await inPages(left, right)).toEqual(compareLogs(left, right));
      }
    }
  });

  it('for the agreement of any runs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(choices, { maxLength: 5 }), size, async (made, one) => {
        const logs = made.map((each) => choiceEvents(each));
        const found = await agreementOfPages(
          logs.map((log) => () => paged(log, one)),
          never,
        );
        expect(found).toEqual(agreementOf(logs));
      }),
    );
  });
});

it('totals equal those of the full fold without keeping the history', () => {
  for (const events of samples) {
    const state = foldAll(emptyRunState(events[0]?.run_id ?? ''), events);
    expect(figuresOf(events)).toMatchObject({
      iterations: state.iterationsUsed,
      model_calls: state.calls,
      tool_calls: state.toolCalls,
      failed_tool_calls: state.failedToolCalls,
      tokens_in: state.tokensIn,
      tokens_out: state.tokensOut,
      model_ms: Math.round(state.spent.modelMs),
      tool_ms: Math.round(state.spent.toolMs),
    });
  }
});

describe('a comparison has a bounded length', () => {
  const shown = ({ steps }: Comparison) =>
    steps.filter(({ left_out, same }) => !left_out && !same).map(({ position }) => position);

  it('includes texts from any position on, and is otherwise equal to the full comparison', async () => {
    await fc.assert(
      fc.asyncProperty(choices, choices, fc.integer({ min: 1, max: 9 }), fc.nat(2000), async (...given) => {
        const [a, b, from, maxChars] = given;
        const whole = compareLogs(choiceEvents(a), choiceEvents(b));
        const comparison = await inPages(choiceEvents(a), choiceEvents(b), [20, 20], { from, maxChars });
        expect({ ...comparison, texts: undefined }).toEqual({
          ...whole,
          texts: undefined,
          steps: whole.steps.map((step, index) =>
            comparison.steps[index]?.left_out ? { ...step, parts: [], left_out: true } : step,
          ),
        });
        const positions = shown(comparison);
        expect(positions.filter((position) => position < from)).toEqual([]);
        const wanted = shown(whole).filter((position) => position >= from);
        expect(positions).toEqual(wanted.slice(0, positions.length));
        expect(positions.length >= Math.min(1, wanted.length)).toBe(true);
        const complete = positions.length === shown(whole).length;
        expect(comparison.texts === undefined).toBe(complete);
        if (!complete && positions.length > 0) {
          expect(comparison.texts).toEqual({ from: positions[0], to: positions.at(-1) });
        }
      }),
    );
  });

  it('every step can be reached by requesting the first one that was left out', async () => {
    const [left, right] = [choiceEvents([1, 2, 3, 4, 1, 2]), choiceEvents([3, 3, 3, 3, 3, 3])];
    const seen: number[] = [];
    for (let from = 1; ; ) {
      const comparison = await inPages(left, right, [9, 9], { from, maxChars: 400 });
      seen.push(...shown(comparison));
      const next = comparison.steps.find(({ left_out, position }) => left_out && position >= from);
      if (!next) break;
      from = next.position;
    }
    expect(seen).toEqual(shown(compareLogs(left, right)));
  });

  it('a step that is too large is rejected with its position', async () => {
    const log = new SampleLog().prepare();
    const huge = 'x'.repeat(30_000_000);
    const calls = ['a', 'b'].map((path) => ({
      name: 'read_file',
      arguments: { path },
      result: { output: huge },
    }));
    log.round({ calls });
    await expect(inPages(log.events, log.events)).rejects.toMatchObject({
      code: 'comparison_too_large',
      message: expect.stringContaining('50 million characters'),
    });
  });
});

describe('logs are read in step', () => {
  it('neither side is read more than a page ahead of the other', async () => {
    const { events } = longLog(2000);
    const read = { left: 0, right: 0 };
    let apart = 0;
    const watched = async function* (side: Side) {
      for await (const page of paged(events, 50)) {
        read[side] += page.length;
        apart = Math.max(apart, Math.abs(read.left - read.right));
        yield page;
      }
    };
    await comparePages({ left: watched('left'), right: watched('right'), texts: all, signal: never });
    expect(apart).toBeLessThanOrEqual(100);
  });

  it('an abort stops reading and closes the logs', async () => {
    const { events } = longLog(2000);
    const gone = new AbortController();
    let pages = 0;
    let closed = 0;
    const watched = async function* () {
      try {
        for await (const page of paged(events, 50)) {
          pages += 1;
          if (pages === 3) gone.abort(new Error('gone'));
          yield page;
        }
      } finally {
        closed += 1;
      }
    };
    const comparing = comparePages({ left: watched(), right: watched(), texts: all, signal: gone.signal });
    await expect(comparing).rejects.toThrow('gone');
    expect({ pages, closed }).toEqual({ pages: 3, closed: 2 });
  });
});
