import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldAll } from '../../events/fold-run.ts';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { cpuMs } from '../../testing/cpu-time.ts';
import { callingLog, completedLog, longLog, runningLog } from '../../testing/sample-logs.ts';
import { createRunStore } from './run-store.ts';

/** A store whose frames come when the test says so. */
function makeStore(now = () => 0) {
  let due: (() => void) | undefined;
  let frames = 0;
  const store = createRunStore(
    'sample',
    (work) => {
      due = work;
      return () => {
        due = undefined;
      };
    },
    now,
  );
  const frame = () => {
    frames += 1;
    due?.();
  };
  return { store, frame, frames: () => frames };
}

it('shows the same run whatever was repeated, late or ahead of a gap [D20]', () => {
  const { events } = completedLog();
  const run = foldAll(emptyRunState('sample'), events);
  const timeline = foldTimeline(emptyTimeline, events);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(events.length), fc.nat(events.length)), { maxLength: 20 }),
      (stretches) => {
        const { store, frame } = makeStore();
        for (const [from, to] of stretches) {
          store.receive(events.slice(from, to));
          frame();
        }
        // A new stream starts after the events already received.
        store.receive(events.slice(store.cursor));
        frame();
        expect(store.view.getState().run).toEqual(run);
        expect(store.view.getState().timeline).toEqual(timeline);
        expect(store.cursor).toBe(events.length);
      },
    ),
  );
});

it('changes the view once per frame, however many events come', () => {
  const { store, frame } = makeStore();
  let changes = 0;
  store.view.subscribe(() => {
    changes += 1;
  });
  for (const event of completedLog().events) store.receive([event]);
  expect(changes).toBe(0);
  frame();
  expect(changes).toBe(1);
});

it('draws a long log occasionally while far behind, and every frame once it is close', () => {
  const { events } = longLog(1000);
  let time = 0;
  const { store, frame } = makeStore(() => time);
  let changes = 0;
  store.view.subscribe(({ timeline }, before) => {
    if (timeline !== before.timeline) changes += 1;
  });
  store.signal({ type: 'head', seq: events.length });
  for (let seq = 0; seq < 600; seq += 100) {
    store.receive(events.slice(seq, seq + 100));
    frame();
  }
  expect(changes).toBe(0);
  time += 1000;
  frame();
  expect(changes).toBe(1);
  expect(store.view.getState().timeline.seq).toBe(600);
  store.receive(events.slice(600, events.length - 200));
  frame();
  expect(changes).toBe(2);
  store.receive(events.slice(store.cursor));
  frame();
  expect(store.view.getState().timeline.seq).toBe(events.length);
});

it('updates only the live store while text is written', () => {
  const { store, frame } = makeStore();
  store.receive(callingLog().events);
  frame();
  let views = 0;
  let lives = 0;
  store.view.subscribe(() => {
    views += 1;
  });
  store.live.subscribe(() => {
    lives += 1;
  });
  for (let offset = 0; offset < 50; offset += 1) {
    store.receiveDelta({ type: 'text', call: 2, offset, text: 'x' });
  }
  frame();
  expect([views, lives]).toEqual([0, 1]);
  expect(store.live.getState().text?.text).toBe('x'.repeat(50));
});

it('drops live text once its event has arrived, and text of finished calls', () => {
  const { store, frame } = makeStore();
  const log = callingLog();
  store.receive(log.events);
  store.receiveDelta({ type: 'text', call: 2, offset: 0, text: 'So far' });
  frame();
  expect(store.live.getState().text?.text).toBe('So far');
  log.reply({ text: 'So far so good.' });
  store.receive(log.events.slice(store.cursor));
  store.receiveDelta({ type: 'text', call: 2, offset: 6, text: ' so good.' });
  frame();
  expect(store.live.getState().text).toBeUndefined();
});

it('shows output of the running command only', () => {
  const { store, frame } = makeStore();
  store.receive(runningLog().events);
  store.receiveDelta({ type: 'tool-output', call_id: 'c4', offset: 0, text: 'testing' });
  store.receiveDelta({ type: 'tool-output', call_id: 'c1', offset: 0, text: 'long gone' });
  frame();
  expect(store.live.getState().toolOutput).toEqual({ c4: { start: 0, text: 'testing' } });
});

it('says closed when the run has ended', () => {
  const { store, frame } = makeStore();
  store.signal({ type: 'opened' });
  store.receive(completedLog().events);
  frame();
  expect(store.view.getState().connection.status).toBe('closed');
});

it('accepts a log of 10,000 events at once [D20]', () => {
  const { events } = longLog(10_000);
  const { store, frame } = makeStore();
  const took = cpuMs(() => {
    store.receive(events);
    frame();
  });
  expect(took).toBeLessThan(10_000);
  expect(store.view.getState().timeline.seq).toBe(events.length);
});
