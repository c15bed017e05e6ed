import { describe, expect, it } from 'vitest';
import { type ConnectionSignal, newConnection, reduceConnection, retryDelayMs } from './connection.ts';

const reached = (...signals: ConnectionSignal[]) =>
  signals.reduce(
    (connection, signal, index) => reduceConnection(connection, signal, index + 1),
    newConnection(0),
  );

describe('the state of the connection [D5]', () => {
  it('is catching up until all stored events have arrived, then live', () => {
    const opened: ConnectionSignal[] = [{ type: 'opening' }, { type: 'head', seq: 3 }, { type: 'opened' }];
    expect(reached(...opened).status).toBe('catching-up');
    expect(reached(...opened, { type: 'received', seq: 2 }).status).toBe('catching-up');
    expect(reached(...opened, { type: 'received', seq: 3 }).status).toBe('live');
    expect(reached(...opened, { type: 'received', seq: 3 }, { type: 'received', seq: 4 }).status).toBe(
      'live',
    );
  });

  it('keeps its position when the stream breaks, and is live again without a new event', () => {
    const broken = reached({ type: 'opened' }, { type: 'received', seq: 5 }, { type: 'lost' });
    expect(broken).toMatchObject({ status: 'reconnecting', seen: 5 });
    const again = reduceConnection(broken, { type: 'opened' }, 9);
    expect(again).toMatchObject({ status: 'live', seen: 5, since: 9, tries: 0 });
  });

  it('catches up after a break in which the run went on', () => {
    const again = reached(
      { type: 'opened' },
      { type: 'received', seq: 5 },
      { type: 'lost' },
      { type: 'head', seq: 9 },
      { type: 'opened' },
    );
    expect(again.status).toBe('catching-up');
  });

  it('distinguishes an unreachable server from one that refuses', () => {
    expect(reached({ type: 'opening' }, { type: 'unreachable' }).status).toBe('offline');
    const problem = { code: 'run_not_found', message: 'There is no run "x".' };
    expect(reached({ type: 'refused', problem })).toMatchObject({ status: 'refused', problem });
  });

  it('stays closed after the end of the run', () => {
    expect(
      reached({ type: 'opened' }, { type: 'finished' }, { type: 'lost' }, { type: 'opening' }).status,
    ).toBe('closed');
  });

  it('reports that the run was deleted, even once closed, and nothing after that', () => {
    const whole = reached({ type: 'opened' }, { type: 'received', seq: 5 }, { type: 'finished' });
    const gone = reduceConnection(whole, { type: 'deleted' }, 9);
    expect(gone).toMatchObject({ status: 'refused', since: 9, problem: { code: 'run_deleted' } });
    expect(reduceConnection(gone, { type: 'deleted' }, 10)).toBe(gone);
  });

  it('keeps the object when nothing changes, so that nothing is drawn again', () => {
    const live = reached({ type: 'opened' }, { type: 'received', seq: 5 });
    expect(reduceConnection(live, { type: 'received', seq: 5 }, 9)).toBe(live);
    expect(reduceConnection(live, { type: 'head', seq: 4 }, 9)).toBe(live);
  });
});

it('waits longer from try to try, at most eight seconds and a bit', () => {
  expect([1, 2, 3, 4, 10].map((tries) => retryDelayMs(tries, 0.5))).toEqual([250, 500, 1000, 2000, 8000]);
  expect(retryDelayMs(1, 0)).toBe(225);
  expect(retryDelayMs(1, 1)).toBe(275);
});
