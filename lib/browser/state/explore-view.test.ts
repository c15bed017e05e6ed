import { expect, it } from 'vitest';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { completedLog } from '../../testing/sample-logs.ts';
import { exploreLog } from '../../testing/sample-modes.ts';
import { toolsByUse } from '../plots/explore-series.ts';
import { adviceByReflection, cycleWords, memoryAt } from './explore-view.ts';

const { cycles, changes } = foldTimeline(emptyTimeline, exploreLog(9).events).cycles;

it('counts what each cycle did, up to its reflection [X11]', () => {
  expect(cycles.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(cycles[1]).toMatchObject({
    ...{ toolCalls: 3, failedToolCalls: 0, modelCalls: 4, tools: { write: 3 } },
    endedBy: 'reflection',
  });
  expect(cycles[1]?.reflection).toContain('Tides follow the moon');
  expect(cycles[1]?.tokensIn).toBeGreaterThan(0);
  expect(toolsByUse(cycles)[0]).toBe('write');
});

it('a reflection that says nearly the same again is less new than others [X21]', () => {
  expect(cycles[0]?.novelty).toBeUndefined();
  expect(cycles[4]?.novelty).toBeLessThan(0.4);
  expect(cycles[5]?.novelty).toBeGreaterThan(0.8);
});

it('keeps the measurement with the cycle that begins [X21]', () => {
  const { similarity, nearest_cycle, feedback } = cycles[4]?.advice ?? {};
  expect({ similarity, nearest_cycle, feedback }).toEqual({ similarity: 0.31, nearest_cycle: 2 });
});

it('gives the memory at any cycle, with the changes that made it [O12, O13]', () => {
  const early = memoryAt(changes, 2);
  expect(early.map(({ key, value }) => [key, value])).toEqual([
    ['harbours', 'What I know about harbours in cycle 1.'],
    ['coast', 'What I know about coast in cycle 2.'],
  ]);
  expect(early[1]?.history).toHaveLength(3);
  expect(early[1]?.writes).toBe(3);
  const late = memoryAt(changes, 7);
  expect(late.at(-1)).toMatchObject({ key: 'currents', value: undefined });
  // Written, deleted, written again: the deletion is a change, and no write.
  const change = (seq: number, value: string | undefined) => ({
    ...{ seq, at: 0, cycle: 1, callId: `c${seq}`, key: 'k', value },
  });
  const [again] = memoryAt([change(1, 'a'), change(2, undefined), change(3, 'b')], 1);
  expect(again).toMatchObject({ value: 'b', writes: 2 });
});

it('describes a cycle: its tools, most frequent first, and how it ended [X11]', () => {
  const [first] = cycles;
  if (!first) throw new Error('The sample has cycles.');
  const words = (tools: Record<string, number>, options = { over: false }) => {
    const { endedBy: _none, ...open } = { ...first, tools, toolCalls: 7, failedToolCalls: 1, tokensOut: 50 };
    return cycleWords(open, options);
  };
  expect(words({ list: 1, write: 6 })).toBe('7 calls (1 failed): 6 write, 1 list · 50 tokens written · open');
  expect(words({ a: 1, b: 1, c: 1, d: 1, e: 2, f: 1 })).toContain(': 2 e, 1 a, 1 b, 1 c, 2 others ·');
  expect(words({}, { over: true })).toBe('7 calls (1 failed) · 50 tokens written · not finished');
});

it('assigns a measurement to the reflection that was compared, even after a cycle without one [X21]', () => {
  const [first, second] = cycles;
  const advice = cycles[4]?.advice;
  if (!first || !second || !advice) throw new Error('The sample has advice in its fifth cycle.');
  const { advice: _none, ...plain } = second;
  const cut = { ...plain, number: 2, reflection: undefined, endedBy: 'call_limit' as const };
  const found = adviceByReflection([first, cut, { ...plain, number: 3, advice }]);
  expect([...found]).toEqual([[1, advice]]);
});

it('has nothing to show for a task', () => {
  const task = foldTimeline(emptyTimeline, completedLog().events).cycles;
  expect(task).toMatchObject({ cycles: [], changes: [] });
});
