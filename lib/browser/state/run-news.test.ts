import { expect, it } from 'vitest';
import type { RunSummary } from '../../api/run-summary.ts';
import { summarizeRun } from '../../api/summarize-run.ts';
import { foldAll } from '../../events/fold-run.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { completedLog } from '../../testing/sample-logs.ts';
import { NewsWatch, newsOf } from './run-news.ts';

const { events } = completedLog();
const ended: RunSummary = summarizeRun(foldAll(emptyRunState(events[0]?.run_id ?? ''), events));
const calling: RunSummary = {
  ...ended,
  phase: 'calling',
  termination_reason: undefined,
  ended_at: undefined,
};

it('reports once that a run has ended', () => {
  expect(newsOf(calling, ended)).toMatchObject({ runId: ended.id, title: 'The model answered' });
  expect(newsOf(ended, ended)).toBeUndefined();
  expect(newsOf(undefined, ended)).toBeUndefined();
});

it('reports a cut-off answer with the label of the run page', () => {
  const cut: RunSummary = { ...ended, outcome: { kind: 'answered_cut_off' } };
  expect(newsOf(calling, cut)).toMatchObject({ title: 'Answered, cut off' });
});

it('reports every call that waits for a person, and nothing in between', () => {
  const waiting: RunSummary = { ...calling, phase: 'awaiting-approval', last_seq: 7 };
  expect(newsOf(calling, waiting)).toMatchObject({ tag: `${ended.id}:waits:7` });
  expect(newsOf(waiting, { ...waiting, last_seq: 8 })).toBeUndefined();
  expect(newsOf(waiting, calling)).toBeUndefined();
});

it('keeps no run that has ended', () => {
  const watch = new NewsWatch();
  expect(watch.take(ended)).toBeUndefined();
  for (let index = 0; index < 1000; index += 1) {
    const id = `run-${index}`;
    expect(watch.take({ ...calling, id })).toBeUndefined();
    expect(watch.size).toBe(1);
    expect(watch.take({ ...ended, id })).toMatchObject({ runId: id });
    expect(watch.take({ ...ended, id })).toBeUndefined();
  }
  expect(watch.size).toBe(0);
});
