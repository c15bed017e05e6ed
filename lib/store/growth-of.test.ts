import { expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { placeEvents } from '../events/place-events.ts';
import type { NewEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { completedLog, sampleConfig } from '../testing/sample-logs.ts';
import { growthOf } from './growth-of.ts';

const created = placeEvents(emptyRunState('a'), [{ type: 'run.created', config: sampleConfig() }], 1000);
const before = foldAll(emptyRunState('a'), created);

function growthAfterCreation(event: NewEvent) {
  const placed = placeEvents(before, [event], 2000);
  return growthOf(placed, foldAll(before, placed));
}

it('refuses an event that could not be read back', () => {
  const event: NewEvent = { type: 'run.started', worker: 'w', epoch: Number.NaN };
  expect(() => growthAfterCreation(event)).toThrow(/epoch/);
});

it('accepts the text "null"', () => {
  const { rows } = growthAfterCreation({ type: 'policy.warned', code: 'test', message: 'It was "null".' });
  expect(rows.map(({ body }) => JSON.parse(body))).toEqual([
    { type: 'policy.warned', code: 'test', message: 'It was "null".' },
  ]);
});

it('adds up what the replies count', () => {
  const { events, runId } = completedLog();
  const one = growthOf(events, foldAll(emptyRunState(runId), events));
  const each = events.map((event) => growthOf([event], foldAll(emptyRunState(runId), events)).counts);
  const totals = new Map<string, number>();
  for (const [counter, count] of each.flat()) totals.set(counter, (totals.get(counter) ?? 0) + count);
  expect(new Map(one.counts)).toEqual(totals);
  expect(one.summary.last_seq).toBe(events.length);
});
