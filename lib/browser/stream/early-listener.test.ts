import { expect, it } from 'vitest';
import { completedLog } from '../../testing/sample-logs.ts';
import { createRunStore } from '../state/run-store.ts';
import { EarlyListener } from './early-listener.ts';

it('delivers events from before the page listened [D20]', () => {
  const { events } = completedLog();
  const store = () =>
    createRunStore(
      'run',
      () => () => {},
      () => 1000,
    );
  const direct = store();
  const late = store();
  const early = new EarlyListener();
  for (const listener of [early, { ...direct, events: direct.receive, delta: direct.receiveDelta }]) {
    listener.signal({ type: 'opening' });
    listener.signal({ type: 'head', seq: events.length });
    listener.signal({ type: 'opened' });
    listener.events(events.slice(0, 5));
    listener.delta({ type: 'text', call: 1, offset: 0, text: 'One' });
    listener.events(events.slice(5));
  }
  expect(early.cursor()).toBe(events.length);

  early.handOverTo({
    cursor: () => late.cursor,
    events: late.receive,
    delta: late.receiveDelta,
    signal: late.signal,
  });
  direct.flush();
  late.flush();
  expect(late.cursor).toBe(direct.cursor);
  expect(late.view.getState()).toEqual(direct.view.getState());
  expect(late.live.getState()).toEqual(direct.live.getState());
  expect(late.view.getState().connection.status).toBe('closed');
});
