import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ProgressEvent } from '../events/progress.ts';
import { emptyRunState } from '../events/run-state.ts';
import { ProgressEmitter } from './progress-emitter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const state = { ...emptyRunState('r'), iteration: 1, updatedAt: 5 };
const nudge = { type: 'policy.nudged', iteration: 1, cause: 'empty', text: 'x', count: 1, limit: 2 } as const;

function collect(): { events: ProgressEvent[]; emitter: ProgressEmitter } {
  const events: ProgressEvent[] = [];
  const emitter = new ProgressEmitter({
    runId: 'r',
    onProgress: (event) => events.push(event),
    clock: () => 9,
  });
  return { events, emitter };
}

it('E2: collects tokens for 50 ms', () => {
  const { events, emitter } = collect();
  emitter.tokens('token', 'Hel', state);
  vi.advanceTimersByTime(49);
  emitter.tokens('token', 'lo', state);
  expect(events).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(events).toEqual([{ type: 'token', text: 'Hello', iteration: 1, run_id: 'r', seq: 1, timestamp: 9 }]);
  vi.advanceTimersByTime(1000);
  expect(events).toHaveLength(1);
});

it('E2, E3: gives out waiting tokens before any other event, which goes at once', () => {
  const { events, emitter } = collect();
  emitter.tokens('thinking', 'hm', state);
  emitter.tokens('token', 'a', state);
  emitter.tokens('token', 'b', state);
  emitter.event(nudge, state);
  expect(events.map((event) => ('text' in event ? event.text : event.type))).toEqual(['hm', 'ab', 'nudge']);
  expect(events.map((event) => event.seq)).toEqual([1, 2, 3]);
  expect(events[2]?.timestamp).toBe(5);
});

it('E12: a listener that throws is left alone', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  let calls = 0;
  const emitter = new ProgressEmitter({
    runId: 'r',
    onProgress: () => {
      calls += 1;
      throw new Error('a listener fails');
    },
  });
  emitter.event(nudge, state);
  emitter.event(nudge, state);
  emitter.tokens('token', 'x', state);
  vi.advanceTimersByTime(100);
  expect(calls).toBe(1);
  expect(warn).toHaveBeenCalledOnce();
  warn.mockRestore();
});
