import type { RunEvent } from '../events/registry.ts';
import { type Agreement, agreementOfTraces, firstApart, TraceReader } from './agreement.ts';
import { Comparer, type Comparison } from './compare.ts';
import { ConditionReader, type Conditions, FigureReader, type Figures } from './figures.ts';
import { type Step, StepReader } from './steps.ts';

// Test oracle for `compare-pages.ts`: the same comparisons, computed from complete logs.

/** The steps of a run in order. */
export function stepsOf(events: readonly RunEvent[]): Step[] {
  const reader = new StepReader();
  return [...events.map((event) => reader.take(event)), reader.rest()].filter((step) => step !== undefined);
}

/** Compares two runs. Swapping the sides mirrors the result. */
export function compareLogs(left: readonly RunEvent[], right: readonly RunEvent[]): Comparison {
  const comparer = new Comparer({ from: 1, maxChars: Number.POSITIVE_INFINITY });
  for (const event of left) comparer.take('left', event);
  comparer.end('left');
  for (const event of right) comparer.take('right', event);
  comparer.end('right');
  return comparer.result();
}

/** Computes the totals of a log. */
export function figuresOf(events: readonly RunEvent[]): Figures {
  const reader = new FigureReader();
  for (const event of events) reader.take(event);
  return reader.figures();
}

/** The conditions under which a run's first replies were generated. */
export function conditionsOf(events: readonly RunEvent[]): Conditions {
  const reader = new ConditionReader();
  for (const event of events) reader.take(event);
  return reader.conditions();
}

/** Finds how far runs that should be identical agree; the order of the logs only affects indexes. */
export function agreementOf(logs: readonly (readonly RunEvent[])[]): Agreement {
  const traces = logs.map((log) => {
    const reader = new TraceReader();
    for (const event of log) reader.take(event);
    return reader.trace();
  });
  const [first] = logs;
  const other = logs[firstApart(traces) ?? -1];
  return agreementOfTraces(traces, first && other && compareLogs(first, other).divergence);
}
