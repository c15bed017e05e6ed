import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../testing/cpu-time.ts';
import {
  completedLog,
  endedLog,
  longLog,
  repairedLog,
  runningLog,
  SampleLog,
  verifiedLog,
} from '../testing/sample-logs.ts';
import { iterationMs } from './fold-timeline/iteration-heading.ts';
import { emptyTimeline, foldTimeline, rowIndexOfSeq } from './fold-timeline.ts';
import type { TimelineRow } from './timeline.ts';

const kinds = (rows: readonly TimelineRow[]) => rows.map((row) => row.kind);
const tools = (rows: readonly TimelineRow[]) => rows.filter((row) => row.kind === 'tool');

describe('foldTimeline', () => {
  it('shows a run as iterations, each with its calls [D6]', () => {
    const { rows } = foldTimeline(emptyTimeline, completedLog().events);
    expect(kinds(rows)).toEqual([
      'created',
      'preparation',
      'attempt',
      ...['iteration', 'call', 'tool'],
      ...['iteration', 'call', 'tool', 'tool', 'tool'],
      ...['iteration', 'call', 'tool'],
      ...['iteration', 'call', 'end'],
    ]);
    expect(rows.filter((row) => row.kind === 'iteration').map((row) => row.toolCalls)).toEqual([1, 3, 1, 0]);
  });

  it('gives each tool call its layer, arguments, result and duration [D7]', () => {
    const [row] = tools(foldTimeline(emptyTimeline, completedLog().events).rows);
    expect(row).toMatchObject({
      name: 'list_files',
      arguments: { path: '.' },
      layer: 'native',
      status: 'succeeded',
      durationMs: 7,
      result: { success: true },
    });
  });

  it('shows nudges, retries, compaction, warnings and resumption after a restart [D9]', () => {
    const { rows } = foldTimeline(emptyTimeline, repairedLog().events);
    const policies = rows.flatMap((row) => (row.kind === 'policy' ? [row.event.type] : []));
    expect(policies).toEqual([
      'policy.retried',
      'policy.retried',
      'policy.nudged',
      'policy.compacted',
      'policy.warned',
    ]);
    expect(kinds(rows)).toContain('resumed');
    expect(rows.filter((row) => row.kind === 'call' && row.setAside).length).toBe(2);
  });

  it('marks calls refused for repetition as not run [D9]', () => {
    const last = tools(foldTimeline(emptyTimeline, endedLog('repetition').events).rows).at(-1);
    expect(last?.status).toBe('not-run');
  });

  it('shows a call that was running when the run ended as interrupted', () => {
    const log = runningLog();
    expect(tools(foldTimeline(emptyTimeline, log.events).rows).map((row) => row.status)).toEqual([
      'succeeded',
      'succeeded',
      'succeeded',
      'running',
      'waiting',
    ]);
    log.end('error', { message: 'The server stopped.' });
    expect(
      tools(foldTimeline(emptyTimeline, log.events).rows)
        .slice(-2)
        .map((row) => row.status),
    ).toEqual(['interrupted', 'not-run']);
  });

  it('keeps each attempt and its checks visible [V10]', () => {
    const { rows } = foldTimeline(emptyTimeline, verifiedLog().events);
    const checks = rows.flatMap((row) => (row.kind === 'verification' ? [row.checked?.outcome] : []));
    expect(checks).toEqual(['partial_pass', 'pass']);
    expect(rows.filter((row) => row.kind === 'iteration').map((row) => row.attempt)).toEqual([1, 1, 2, 2]);
    expect(rows.find((row) => row.kind === 'iteration')?.budget?.tokens_used).toBe(0);
  });

  it('gives the same rows for any split or repetition of the stream [D20]', () => {
    const { events } = repairedLog();
    const whole = foldTimeline(emptyTimeline, events);
    fc.assert(
      fc.property(fc.array(fc.nat(events.length), { maxLength: 12 }), (cuts) => {
        let timeline = emptyTimeline;
        for (const cut of [...cuts.sort((a, b) => a - b), events.length]) {
          // Each part starts a few events early, as a resumed stream may.
          timeline = foldTimeline(timeline, events.slice(Math.max(0, timeline.seq - 3), cut));
        }
        expect(timeline).toEqual(whole);
      }),
    );
  });

  it('keeps the object of every row that an event does not touch [D20]', () => {
    const { events } = completedLog();
    let timeline = emptyTimeline;
    for (const event of events) {
      const before = timeline.rows;
      timeline = foldTimeline(timeline, [event]);
      const changed = before.filter((row, index) => timeline.rows[index] !== row).length;
      expect(changed).toBeLessThanOrEqual(2);
    }
  });

  it('throws on a gap in the log', () => {
    const { events } = completedLog();
    expect(() => foldTimeline(emptyTimeline, events.slice(1))).toThrow(/cannot follow event 0/);
  });

  it('finds the row of every event, for deep links', () => {
    const { events } = verifiedLog();
    const timeline = foldTimeline(emptyTimeline, events);
    for (const event of events) {
      const index = rowIndexOfSeq(timeline, event.seq);
      expect(index).toBeGreaterThanOrEqual(0);
    }
    expect(rowIndexOfSeq(timeline, events.length + 1)).toBeUndefined();
  });

  it('folds 10,000 events one by one without scanning all rows for each [D20]', () => {
    const { events } = longLog(10_000);
    let timeline = emptyTimeline;
    const took = cpuMs(() => {
      for (const event of events) timeline = foldTimeline(timeline, [event]);
    });
    expect(timeline.seq).toBe(events.length);
    expect(took).toBeLessThan(10_000);
  });
});

it('leaves waits for the operator out of the time of an iteration, even if calls are decided out of order', () => {
  const write = (path: string) => ({ name: 'write_file', arguments: { path, content: '' } });
  const log = new SampleLog().prepare().iteration();
  const begun = log.events.at(-1)?.at ?? 0;
  log.callStarts().reply({ calls: [write('a'), write('b')], ms: 1000 });
  const about = { type: 'approval.requested', iteration: 1, tool: 'write_file', arguments: {} } as const;
  const decided = {
    type: 'approval.decided',
    tool: 'write_file',
    decision: 'approved',
    by: 'operator',
  } as const;
  log.push({ ...about, call_id: 'c1' }).push({ ...about, call_id: 'c2' }, 0);
  const heading = () => {
    const row = foldTimeline(emptyTimeline, log.events).rows.find(({ kind }) => kind === 'iteration');
    if (row?.kind !== 'iteration') throw new Error('no iteration');
    return row;
  };
  const asked = log.events.at(-1)?.at ?? 0;
  expect(iterationMs(heading())).toBe(asked - begun);
  log.push({ ...decided, call_id: 'c2' }, 60_000);
  expect(heading().waitingSince).toBe(asked);
  log.push({ ...decided, call_id: 'c1' }, 30_000);
  expect(heading()).toMatchObject({ waitedMs: 90_000, waitingSince: undefined });
  expect(iterationMs(heading())).toBe(asked - begun);
});

it('ends the time of a turn with the turn, before the session waits for a message', () => {
  const log = new SampleLog({ config: { mode: 'session', autopilot: false } }).prepare();
  log.iteration().callStarts().reply({ text: 'Hello.', ms: 1000 });
  const heading = () => {
    const row = foldTimeline(emptyTimeline, log.events).rows.findLast(({ kind }) => kind === 'iteration');
    if (row?.kind !== 'iteration') throw new Error('no turn');
    return row;
  };
  expect(heading().ended).toBe(false);
  const took = iterationMs(heading());
  log.push({ type: 'turn.ended', iteration: 1, outcome: 'text' });
  log.push({ type: 'message.awaited', iteration: 1, cause: 'text' });
  log.push({ type: 'operator.messaged', message_id: 'm1', text: 'Go on.' }, 60_000);
  expect(heading().ended).toBe(true);
  expect(iterationMs(heading())).toBe(took);
  log.iteration();
  expect(heading()).toMatchObject({ iteration: 2, ended: false });
});

it('shows a wait for the model server as one row, and leaves it out of the time of its iteration', () => {
  const log = new SampleLog().prepare().iteration().callStarts();
  const error = { code: 'model_unreachable', message: 'Refused.' };
  log.push({
    type: 'model-call.failed',
    call: 1,
    kind: 'unreachable',
    error,
    transient: true,
    duration_ms: 1,
  });
  log.push({ type: 'server-wait.started', error, limit_ms: 600_000 });
  const waiting = log.events.at(-1)?.at ?? 0;
  log.push({ type: 'server-wait.ended', outcome: 'back', waited_ms: 60_000 });
  const events = log.events.map((event) =>
    event.type === 'server-wait.ended' ? { ...event, at: waiting + 60_000 } : event,
  );
  const { rows } = foldTimeline(emptyTimeline, events);
  expect(rows.at(-1)).toMatchObject({
    kind: 'server-wait',
    afterFailedCall: true,
    ended: { outcome: 'back' },
  });
  expect(rows.find(({ kind }) => kind === 'call')).toMatchObject({ status: 'failed', setAside: 'transient' });
  const iteration = rows.find((row) => row.kind === 'iteration');
  expect(iteration?.kind === 'iteration' && iterationMs(iteration)).toBe(waiting - (iteration?.at ?? 0));
});

it('a load that is tried again discards neither the last reply nor its calls', () => {
  const log = new SampleLog({ config: { mode: 'session' } }).prepare().iteration().callStarts();
  log.reply({ text: 'Hello.', calls: [{ name: 'read_file', arguments: { path: 'a' } }] });
  log.push({ type: 'model.load-started', model: 'm', num_ctx: 4096 });
  log.push({ type: 'policy.retried', iteration: 1, cause: 'transient', message: 'Busy.', wait_ms: 2000 });
  const { rows } = foldTimeline(emptyTimeline, log.events);
  expect(rows.find(({ kind }) => kind === 'call')).not.toHaveProperty('setAside');
  expect(tools(rows).map(({ status }) => status)).toEqual(['waiting']);
});
