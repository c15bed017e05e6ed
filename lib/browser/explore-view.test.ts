import { expect, it } from 'vitest';
import { emptyTimeline, foldTimeline } from '../events/fold-timeline.ts';
import { completedLog } from '../testing/sample-logs.ts';
import { exploreLog } from '../testing/sample-modes.ts';
import { cyclesOf, memoryAt, memoryChanges, toolsByUse } from './explore-view.ts';

const { rows } = foldTimeline(emptyTimeline, exploreLog(9).events);

it('X11: counts what each cycle did, up to its reflection', () => {
  const cycles = cyclesOf(rows);
  expect(cycles.map(({ cycle }) => cycle)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(cycles[1]).toMatchObject({ calls: 3, failed: 0, modelCalls: 4, tools: { write: 3 } });
  expect(cycles[1]?.reflection?.text).toContain('Tides follow the moon');
  expect(cycles[1]?.tokensIn).toBeGreaterThan(0);
  expect(toolsByUse(cycles)[0]).toBe('write');
});

it('X21: a reflection that says nearly the same again is less new than others', () => {
  const cycles = cyclesOf(rows);
  expect(cycles[0]?.novelty).toBeUndefined();
  expect(cycles[4]?.novelty).toBeLessThan(0.4);
  expect(cycles[5]?.novelty).toBeGreaterThan(0.8);
});

it('X21: keeps what the harness measured with the cycle that begins', () => {
  expect(cyclesOf(rows)[4]?.advice).toEqual({ similarity: 0.31, nearest: 2, told: false });
});

it('O12, O13: gives the memory at any cycle, with the changes that made it', () => {
  const changes = memoryChanges(rows);
  const early = memoryAt(changes, 2);
  expect(early.map(({ key, value }) => [key, value])).toEqual([
    ['harbours', 'What I know about harbours in cycle 1.'],
    ['coast', 'What I know about coast in cycle 2.'],
  ]);
  expect(early[1]?.history).toHaveLength(3);
  const late = memoryAt(changes, 7);
  expect(late.at(-1)).toMatchObject({ key: 'currents', value: undefined });
});

it('has nothing to show for a task', () => {
  const task = foldTimeline(emptyTimeline, completedLog().events).rows;
  expect(cyclesOf(task)).toEqual([]);
  expect(memoryChanges(task)).toEqual([]);
});
