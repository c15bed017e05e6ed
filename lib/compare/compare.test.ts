import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../events/registry.ts';
import { cpuMs } from '../testing/cpu-time.ts';
import { choiceEvents, completedLog, longLog, SampleLog } from '../testing/sample-logs.ts';
import { exploreLog, sessionLog } from '../testing/sample-modes.ts';
import type { Comparison } from './compare.ts';
import { agreementOf, compareLogs, conditionsOf, figuresOf, stepsOf } from './compare-logs.ts';

const choices = fc.array(fc.nat(4), { maxLength: 8 });

function mirrored({ steps, ...rest }: Comparison): Comparison {
  return {
    ...rest,
    steps: steps.map(({ left, right, parts, summary, ...step }) => ({
      ...step,
      summary,
      ...(right ? { left: right } : {}),
      ...(left ? { right: left } : {}),
      parts: parts.map(({ left: one, right: other, ...part }) => ({
        ...part,
        ...(other ? { left: other } : {}),
        ...(one ? { right: one } : {}),
      })),
    })),
  };
}

const withoutSummary = (comparison: Comparison) => ({
  ...comparison,
  steps: comparison.steps.map(({ summary: _, ...step }) => step),
});

describe('comparing two runs', () => {
  it('equal runs do not diverge, regardless of their times and titles', () => {
    fc.assert(
      fc.property(choices, (made) => {
        const found = compareLogs(choiceEvents(made), choiceEvents(made, { runId: 'other', at: 9e12 }));
        expect(found.divergence).toBeUndefined();
        expect(found.steps.every(({ same }) => same)).toBe(true);
      }),
    );
    for (const { events } of [completedLog(), sessionLog(), exploreLog(5)]) {
      expect(compareLogs(events, events).divergence).toBeUndefined();
    }
  });

  it('a run that continues where the other ended diverges there as longer', () => {
    fc.assert(
      fc.property(choices, choices, (made, more) => {
        fc.pre(made.length > 0 && more.length > 0);
        const found = compareLogs(choiceEvents(made), choiceEvents([...made, ...more]));
        expect(found.same_until).toBe(made.length);
        expect(found.divergence).toMatchObject({ position: made.length + 1, kind: 'longer' });
      }),
    );
  });

  it('swapping the sides mirrors the comparison', () => {
    fc.assert(
      fc.property(choices, choices, (a, b) => {
        const one = compareLogs(choiceEvents(a), choiceEvents(b));
        expect(withoutSummary(compareLogs(choiceEvents(b), choiceEvents(a)))).toEqual(
          withoutSummary(mirrored(one)),
        );
      }),
    );
  });

  it('marks the first iteration that differs, and the part that differs', () => {
    fc.assert(
      fc.property(choices, fc.nat(4), fc.nat(4), (made, a, b) => {
        fc.pre(a !== b);
        const found = compareLogs(choiceEvents([...made, a]), choiceEvents([...made, b]));
        expect(found.same_until).toBe(made.length);
        expect(found.divergence?.position).toBe(made.length + 1);
      }),
    );
    const [a, b] = [choiceEvents([1, 1]), choiceEvents([1, 3])];
    expect(compareLogs(a, b).divergence).toEqual({ position: 2, kind: 'thinking', name: 'model' });
  });
});

it('shows a long text around its first difference', () => {
  const one = (text: string) => {
    const log = new SampleLog().prepare();
    return log.round({ text }).events;
  };
  const found = compareLogs(one(`${'a'.repeat(50_000)}b`), one(`${'a'.repeat(50_000)}c`));
  const part = found.steps[0]?.parts.find(({ same }) => !same);
  expect(part?.left?.text.endsWith('ab')).toBe(true);
  expect(part?.right?.text.endsWith('ac')).toBe(true);
  expect(part?.left?.cut).toMatchObject({ chars: 50_001 });
});

it('comparing long runs takes linear time', () => {
  const { events } = longLog(10_000);
  const took = cpuMs(() => {
    expect(compareLogs(events, events).steps.length).toBe(stepsOf(events).length);
  });
  expect(took).toBeLessThan(10_000);
});

it('adds up the totals of a run and reads its conditions', () => {
  const { events } = completedLog();
  expect(figuresOf(events)).toMatchObject({
    iterations: 4,
    tools: { read_file: 3, write_file: 1 },
    reason: 'final_answer',
  });
  expect(conditionsOf(events)).toMatchObject({ digest: '500a1f067a9f', warm: false, gpu_share: 1 });
});

it('rounds neither speed nor GPU share, so that every page rounds the same value', () => {
  const events = completedLog().events.map((event): RunEvent => {
    if (event.type === 'model.loaded') return { ...event, size_bytes: 1000, vram_bytes: 996 };
    if (event.type !== 'model-call.ended') return event;
    return { ...event, reply_tokens: 4046, timings: { ...event.timings, evalMs: 100_000 } };
  });
  expect(figuresOf(events).tokens_per_second).toBeCloseTo(40.46, 10);
  expect(conditionsOf(events).gpu_share).toBe(0.996);
});

it('names the share on the GPU as a cause if it differs by a percent, or if part of a model was elsewhere', () => {
  const causes = (...shares: number[]) =>
    agreementOf(
      shares.map((share, index) =>
        choiceEvents([index]).map(
          (event): RunEvent =>
            event.type === 'model.loaded' ? { ...event, size_bytes: 1e6, vram_bytes: share * 1e6 } : event,
        ),
      ),
    ).causes;
  const cause = 'The share of the model on the GPU differed.';
  expect(causes(0.5, 0.6)).toContain(cause);
  expect(causes(0.9981, 1)).toContain(cause);
  expect(causes(0.5001, 0.5002)).not.toContain(cause);
});

it('reports the think value sent after the model refused the setting', () => {
  const log = new SampleLog({ config: { think: 'high' } }).prepare().iteration().callStarts();
  expect(conditionsOf(log.events).think).toBe('high');
  const error = { code: 'model_no_thinking_levels', message: 'Refused.' };
  log.callFails({ kind: 'no_thinking_levels', error }).callStarts({ think: true });
  expect(conditionsOf(log.events).think).toBe(true);
});

describe('agreement of repeated runs', () => {
  it('equal runs form one variant without a cause', () => {
    fc.assert(
      fc.property(choices, fc.integer({ min: 2, max: 6 }), (made, k) => {
        const found = agreementOf(Array.from({ length: k }, () => choiceEvents(made)));
        expect(found).toMatchObject({ agreed: found.steps, variants: 1, causes: [] });
      }),
    );
  });

  it('agrees exactly up to the first iteration in which any two runs differ', () => {
    fc.assert(
      fc.property(fc.array(choices, { minLength: 2, maxLength: 6 }), (all) => {
        const logs = all.map((made) => choiceEvents(made));
        const found = agreementOf(logs);
        const pairs = logs.flatMap((a) => logs.map((b) => compareLogs(a, b)));
        const apart = pairs.filter(({ divergence }) => divergence).map(({ same_until }) => same_until);
        const began = all.some((made) => made.length > 0);
        if (began && all.every((made) => made.length > 0)) {
          expect(found.agreed).toBe(Math.min(found.steps, ...apart));
        }
        for (const [depth, groups] of found.levels.entries()) {
          const seen = groups.flatMap(({ runs }) => runs);
          expect(new Set(seen).size).toBe(seen.length);
          for (const { runs } of groups) {
            const before = found.levels[depth - 1];
            const together = before?.some((earlier) => runs.every((each) => earlier.runs.includes(each)));
            expect(together ?? true).toBe(true);
          }
        }
      }),
    );
  });

  it('derives the likely cause from the logs', () => {
    const causes = (options: object, other = options) =>
      agreementOf([choiceEvents([1], { config: options }), choiceEvents([2], { config: other })]).causes.join(
        ' ',
      );
    expect(causes({})).toContain('Neither temperature nor seed');
    expect(causes({ model_options: { temperature: 0.8 } })).toContain('Temperature 0.8 without a seed');
    expect(causes({ model_options: { temperature: 0, seed: 1 } })).toContain('batching and the prompt cache');
    const inWindow = (choice: number, tokens: number) =>
      choiceEvents([choice]).map((event) =>
        event.type === 'model.loaded' ? { ...event, context_tokens: tokens } : event,
      );
    expect(agreementOf([inWindow(1, 4096), inWindow(2, 32_768)]).causes).toContain(
      'The window in effect differed: 4,096 and 32,768 tokens.',
    );
  });

  it('derives the cause from the iteration in which the runs diverge, whichever run is first', () => {
    const run = (...rounds: [text: string, result: string][]) => {
      const log = new SampleLog().prepare();
      for (const [text, output] of rounds) {
        log.round({ text, calls: [{ name: 'read_file', arguments: { path: 'a' }, result: { output } }] });
      }
      return log.events;
    };
    const first = run(['One', 'same'], ['Two', 'same'], ['Three', 'same']);
    const otherResult = run(['One', 'same'], ['Two', 'same'], ['Three', 'other']);
    const otherText = run(['Uno', 'same'], ['Two', 'same'], ['Three', 'same']);
    const becauseOfTool = (...logs: (typeof first)[]) => {
      const { agreed, causes } = agreementOf(logs);
      return [agreed, causes.some((cause) => cause.startsWith('A tool (read_file)'))];
    };
    expect(becauseOfTool(first, otherResult)).toEqual([2, true]);
    expect(becauseOfTool(first, otherResult, otherText)).toEqual([0, false]);
    expect(becauseOfTool(first, otherText, otherResult)).toEqual([0, false]);
  });
});

describe('texts of calls and results', () => {
  const withCommand = (stdout: string, duration_ms: number) =>
    new SampleLog().prepare().round({
      calls: [
        {
          name: 'run_command',
          arguments: { command: 'cat <<E\nline one\nE' },
          result: { output: { exit_code: 0, stdout, stderr: '', duration_ms } },
        },
      ],
    });

  it('have real line breaks, and no times', () => {
    const [step] = stepsOf(withCommand('one\ntwo\n', 17).events);
    expect(step?.parts.filter(({ kind }) => kind === 'call' || kind === 'result')).toMatchObject([
      { text: 'command: |-\n  cat <<E\n  line one\n  E' },
      { text: 'exit_code: 0\nstderr: ""\nstdout: |\n  one\n  two' },
    ]);
  });

  it('do not differ just because a tool took longer', () => {
    expect(compareLogs(withCommand('a', 17).events, withCommand('a', 400).events).divergence).toBeUndefined();
    expect(compareLogs(withCommand('a', 17).events, withCommand('b', 17).events).divergence).toMatchObject({
      kind: 'result',
    });
  });
});
