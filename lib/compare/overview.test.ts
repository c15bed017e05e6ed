import { expect, it } from 'vitest';
import { MAX_STREAMED_CHARS } from '../events/limits.ts';
import type { RunEvent } from '../events/registry.ts';
import { completedLog, runningLog } from '../testing/sample-logs.ts';
import { conditionsOf, figuresOf } from './compare-logs.ts';
import { readOverview } from './overview.ts';

const never = new AbortController().signal;

async function* paged(events: readonly RunEvent[], size = 7) {
  for (let start = 0; start < events.length; start += size) yield events.slice(start, start + size);
}

const withOutput = (output: string) =>
  completedLog().events.map((event) =>
    event.type === 'run.ended' ? { ...event, result: { ...event.result, output } } : event,
  );

it('reads figures, conditions, the answer and files of a run from its pages', async () => {
  const events = withOutput('It is\ndone.');
  const overview = await readOverview(paged(events), never);
  expect(overview).toMatchObject({
    figures: figuresOf(events),
    conditions: conditionsOf(events),
    answer: { text: 'It is\ndone.', seq: events.at(-1)?.seq, path: 'result.output', chars: 11 },
  });
  expect(overview.files).toHaveLength(1);
});

it('truncates a long answer and says how long it is', async () => {
  const chars = MAX_STREAMED_CHARS + 5;
  const { answer } = await readOverview(paged(withOutput('a'.repeat(chars))), never);
  expect(answer).toMatchObject({ chars });
  expect(answer?.text).toHaveLength(MAX_STREAMED_CHARS);
});

it('has no answer for a run in progress', async () => {
  expect((await readOverview(paged(runningLog().events), never)).answer).toBeUndefined();
});

it('stops when nothing waits for it', async () => {
  const reason = new Error('gone');
  await expect(readOverview(paged(completedLog().events), AbortSignal.abort(reason))).rejects.toBe(reason);
});
