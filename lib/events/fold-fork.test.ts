import { expect, it } from 'vitest';
import { completedLog, sampleFork } from '../testing/sample-logs.ts';
import { foldAll } from './fold-run.ts';
import { emptyTimeline, foldTimeline } from './fold-timeline.ts';
import { ForkFinder, type ForkTarget, forkProblem } from './fork-point.ts';
import { forkedLog } from './forked-log.ts';
import type { RunEvent } from './registry.ts';
import { emptyRunState } from './run-state.ts';

const forked = (seq: number) => sampleFork({ run_id: 'sample', seq });

function fork(seq: number) {
  const { events } = completedLog();
  const [created] = events;
  if (created?.type !== 'run.created') throw new Error('no configuration');
  return forkedLog({
    id: 'fork',
    config: created.config,
    parent: { run_id: 'sample', seq },
    prefix: events.slice(0, seq),
    events: [forked(seq)],
    at: Date.UTC(2030, 0),
  });
}

function forkSeq(events: readonly RunEvent[], place: ForkTarget): number | undefined {
  const finder = new ForkFinder('sample', place);
  for (const event of events) finder.take(event);
  return finder.found?.last.seq;
}

it('excludes the time between a copied iteration and its fork from that iteration', () => {
  const { events } = completedLog();
  const seq = forkSeq(events, { before_iteration: 3 }) ?? 0;
  const { rows } = foldTimeline(emptyTimeline, fork(seq));
  expect(rows.at(-1)?.kind).toBe('forked');
  for (const row of rows) if (row.kind === 'iteration') expect(row.until - row.at).toBeLessThan(60_000);
});

it('the row of an edited call shows both its arguments and the original ones', () => {
  const { events } = completedLog();
  const [created] = events;
  const reply = events.find((event) => event.type === 'reply.parsed');
  const call = reply?.type === 'reply.parsed' ? reply.calls[0] : undefined;
  if (created?.type !== 'run.created' || !reply || !call) throw new Error('no call in the sample');
  const edit = { target: 'call', call_id: call.call_id, tool: call.name } as const;
  const log = forkedLog({
    id: 'fork',
    config: created.config,
    parent: { run_id: 'sample', seq: reply.seq },
    prefix: events.slice(0, reply.seq),
    events: [{ ...forked(reply.seq), edits: [{ ...edit, before: call.arguments, after: { path: 'b' } }] }],
    at: Date.UTC(2030, 0),
  });
  const row = foldTimeline(emptyTimeline, log).rows.find(({ kind }) => kind === 'tool');
  expect(row).toMatchObject({
    arguments: call.arguments,
    forked: { seq: reply.seq + 1, path: 'edits.0.after', arguments: { path: 'b' } },
  });
});

it('no call is open before any fork point', () => {
  const { events } = completedLog();
  for (const before_iteration of [1, 2, 3, 4]) {
    const seq = forkSeq(events, { before_iteration }) ?? 0;
    const state = foldAll(emptyRunState('sample'), events.slice(0, seq));
    const last = events[seq - 1];
    expect(last && forkProblem(state, last)).toBeUndefined();
    expect(state.iteration).toBe(before_iteration - 1);
  }
});

it('rejects an incomplete prefix', () => {
  const { events } = completedLog();
  const [created] = events;
  if (created?.type !== 'run.created') throw new Error('no configuration');
  const parent = { run_id: 'sample', seq: 3 };
  const options = { id: 'f', config: created.config, parent, events: [], at: 1 };
  expect(() => forkedLog({ ...options, prefix: events.slice(1, 3) })).toThrow(RangeError);
  expect(() => forkedLog({ ...options, prefix: events.slice(0, 2) })).toThrow(RangeError);
});
