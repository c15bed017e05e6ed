import { expect, it } from 'vitest';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { SampleLog } from '../../testing/sample-logs.ts';
import { waitingCalls, waitingItems } from './waiting-calls.ts';

const write = (path: string) => ({ name: 'write_file', arguments: { path, content: '' } });
const request = (callId: string) =>
  ({ type: 'approval.requested', iteration: 1, call_id: callId, tool: 'write_file', arguments: {} }) as const;
const decision = (callId: string) =>
  ({
    type: 'approval.decided',
    call_id: callId,
    tool: 'write_file',
    decision: 'approved',
    by: 'operator',
  }) as const;
const rowsOf = ({ events }: SampleLog) => foldTimeline(emptyTimeline, events).rows;

function twoWait(): SampleLog {
  const log = new SampleLog().prepare().iteration().callStarts();
  log.reply({ calls: [write('a'), write('b')], ms: 1000 });
  return log.push(request('c1')).push(request('c2'));
}

it('a decided call leaves the others of its reply waiting', () => {
  const log = twoWait();
  const both = waitingCalls(rowsOf(log));
  log.push(decision('c1'));
  const one = waitingCalls(rowsOf(log));
  expect([both, one].map(({ calls }) => calls.map(({ callId }) => callId))).toEqual([['c1', 'c2'], ['c2']]);
  expect(one.reply).toBe(both.reply);
});

it('calls of another reply form a separate batch', () => {
  const log = twoWait();
  const { reply } = waitingCalls(rowsOf(log));
  log.push(decision('c1')).push(decision('c2')).iteration().callStarts();
  log.reply({ calls: [write('c'), write('d')], ms: 1000 });
  const next = waitingCalls(rowsOf(log));
  expect(next.reply).toBeDefined();
  expect(next.reply).not.toBe(reply);
});

it('names the items whose forms a person may have begun to fill in', () => {
  const rows = rowsOf(twoWait());
  const waiting = waitingItems(rows).map((index) => rows[index]);
  expect(waiting.map((row) => row?.kind === 'tool' && row.status)).toEqual([
    'awaiting approval',
    'awaiting approval',
  ]);
});
