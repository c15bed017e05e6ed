import { expect, it } from 'vitest';
import { summarizeCheck } from '../../api/summarize-check.ts';
import { sampleCheck } from '../../testing/sample-check.ts';
import { checkPoints } from './check-series.ts';

it('counts the rules of all axes, with an interval around their share', () => {
  const summary = summarizeCheck(sampleCheck());
  const [point] = checkPoints([summary]);
  const { calls, choice, results, stops } = summary.axes;
  expect(point?.passed).toBe(calls.passed + choice.passed + results.passed + stops.passed);
  expect(point?.judged).toBe(calls.judged + choice.judged + results.judged + stops.judged);
  expect(point?.rate?.value).toBeCloseTo((point?.passed ?? 0) / (point?.judged ?? 1));
  expect(point?.rate?.low).toBeLessThanOrEqual(point?.rate?.value ?? 0);
  expect(point?.rate?.high).toBeGreaterThanOrEqual(point?.rate?.value ?? 0);
});

it('has no share without judged rules, and no speed for older checks', () => {
  const { timed_tokens: _, eval_ms: __, ...older } = summarizeCheck(sampleCheck({ probes: [] }));
  const [point] = checkPoints([older]);
  expect(point).toMatchObject({ passed: 0, judged: 0 });
  expect(point?.rate).toBeUndefined();
  expect(point?.speed).toBeUndefined();
});
