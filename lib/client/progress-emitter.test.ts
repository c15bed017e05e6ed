import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ProgressEvent } from '../events/progress.ts';
import type { RunEvent } from '../events/registry.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import { ProgressEmitter } from './progress-emitter.ts';

beforeEach(() => void vi.useFakeTimers({ now: 9 }));
afterEach(() => void vi.useRealTimers());

const created: RunEvent = { type: 'run.created', config: sampleConfig(), run_id: 'r', seq: 1, at: 5 };
const nudge: RunEvent = {
  type: 'policy.nudged',
  ...{ iteration: 1, cause: 'empty', text: 'x', count: 1, limit: 2 },
  ...{ run_id: 'r', seq: 2, at: 5 },
};

function collect() {
  const events: ProgressEvent[] = [];
  const emitter = new ProgressEmitter('r', {
    listener: (event) => events.push(event),
    onFailure: (error) => {
      throw error;
    },
  });
  emitter.event(created);
  const write = (type: 'text' | 'thinking') => {
    let offset = 0;
    return (text: string) => {
      emitter.delta({ type, call: 1, offset, text });
      offset += text.length;
    };
  };
  return { events, emitter, text: write('text'), thinking: write('thinking') };
}

it('batches tokens for 50 ms [E2]', () => {
  const { events, text } = collect();
  text('Hel');
  vi.advanceTimersByTime(49);
  text('lo');
  expect(events).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(events).toEqual([
    { type: 'token', text: 'Hello', iteration: 0, run_id: 'r', seq: 1, timestamp: 59 },
  ]);
  vi.advanceTimersByTime(1000);
  expect(events).toHaveLength(1);
});

it('sends pending tokens before any other event, which is sent immediately [E2, E3]', () => {
  const { events, emitter, text, thinking } = collect();
  thinking('hm');
  text('a');
  text('b');
  emitter.event(nudge);
  expect(events.map((event) => ('text' in event ? event.text : event.type))).toEqual(['hm', 'ab', 'nudge']);
  expect(events.map((event) => event.seq)).toEqual([1, 2, 3]);
  expect(events[2]?.timestamp).toBe(5);
});

it('stops calling a listener that throws, and reports its error once [E12]', () => {
  let calls = 0;
  const failures: unknown[] = [];
  const emitter = new ProgressEmitter('r', {
    listener: () => {
      calls += 1;
      throw new Error('a listener fails');
    },
    onFailure: (error) => failures.push(error),
  });
  emitter.event(created);
  emitter.delta({ type: 'text', call: 1, offset: 0, text: 'x' });
  vi.advanceTimersByTime(100);
  emitter.event(nudge);
  expect(calls).toBe(1);
  expect(failures).toMatchObject([{ message: 'a listener fails' }]);
});
