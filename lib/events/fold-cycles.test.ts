import { expect, it } from 'vitest';
import { foldCycles, noCycles } from './fold-cycles.ts';
import type { NewEvent, RunEvent } from './registry.ts';

const log = (...events: NewEvent[]): RunEvent[] =>
  events.map((event, index) => ({ ...event, run_id: 'r', seq: index + 1, at: 1000 + index }));
const reflected = (cycle: number, text: string): NewEvent => ({
  type: 'cycle.reflected',
  cycle,
  text,
  ended_by: 'reflection',
});
const memory = (operation: 'write' | 'delete', key: string, value?: string): NewEvent => ({
  type: 'memory.changed',
  call_id: 'c1',
  cycle: 1,
  operation,
  key,
  value,
});

const events = log(
  { type: 'cycle.started', cycle: 1, line: 'Cycle 1.' },
  { type: 'tool-call.started', call_id: 'c1', iteration: 1, tool: 'write' },
  memory('write', 'a', 'x'),
  {
    type: 'tool-call.ended',
    call_id: 'c1',
    tool: 'write',
    result: { success: true, tool: 'write', output: 'Stored.' },
    duration_ms: 1,
  },
  { type: 'tool-call.started', call_id: 'c2', iteration: 1, tool: '__proto__' },
  reflected(1, 'I looked at the sky and the sea'),
  { type: 'cycle.started', cycle: 2 },
  reflected(2, 'I looked at the sky and the sea'),
  { type: 'cycle.started', cycle: 3 },
  { type: 'agent.messaged', call_id: 'c3', cycle: 3, text: 'Hello.' },
  reflected(3, 'Something wholly different came to my mind'),
  { type: 'cycle.started', cycle: 4 },
  { type: 'cycle.reflected', cycle: 4, text: '', ended_by: 'call_limit' },
);

it('sums up each cycle: tools, memories, messages, reflection and novelty', () => {
  const { cycles } = foldCycles(noCycles, events);
  expect(cycles.map(({ number, endedBy }) => [number, endedBy])).toEqual([
    [1, 'reflection'],
    [2, 'reflection'],
    [3, 'reflection'],
    [4, 'call_limit'],
  ]);
  expect(cycles[0]).toMatchObject({ memoriesChanged: 1, startedSeq: 1, startedAt: 1000, until: 1005 });
  expect(Object.entries(cycles[0]?.tools ?? {})).toEqual([
    ['write', 1],
    ['__proto__', 1],
  ]);
  expect(cycles.map(({ novelty }) => novelty)).toEqual([undefined, 0, 1, undefined]);
  expect(cycles[2]?.messagesToOperator).toBe(1);
});

it('keeps the objects of cycles that did not change, and skips what it holds', () => {
  const half = foldCycles(noCycles, events.slice(0, 7));
  const whole = foldCycles(half, events);
  expect(whole.cycles[0]).toBe(half.cycles[0]);
  expect(foldCycles(whole, events)).toBe(whole);
});

it('tells every change of memory with the call that made it', () => {
  const { changes } = foldCycles(
    noCycles,
    log(
      { type: 'cycle.started', cycle: 1 },
      ...[memory('write', 'a', '1'), memory('write', 'b', '2'), memory('delete', 'a')],
    ),
  );
  expect(changes).toMatchObject([
    { seq: 2, key: 'a', value: '1', callId: 'c1', cycle: 1 },
    { seq: 3, key: 'b', value: '2' },
    { seq: 4, key: 'a', value: undefined },
  ]);
});
