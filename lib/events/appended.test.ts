import { expect, it } from 'vitest';
import { completedLog, longLog } from '../testing/sample-logs.ts';
import { appended, Pass } from './appended.ts';
import { foldAll, foldRun, RunFold } from './fold-run.ts';
import { emptyRunState } from './run-state.ts';

it('copies a list that may be in use elsewhere', () => {
  const list = [1, 2];
  expect(appended(list, 3)).toEqual([1, 2, 3]);
  expect(list).toEqual([1, 2]);
});

it('copies a list once per pass, then extends the copy', () => {
  const pass = new Pass();
  const list = [1];
  const first = pass.step(() => appended(list, 2));
  const second = pass.step(() => appended(first, 3, 4));
  expect(second).toBe(first);
  expect(second).toEqual([1, 2, 3, 4]);
  expect(list).toEqual([1]);
  expect(appended(second, 5)).not.toBe(second);
  expect(new Pass().step(() => appended(second, 5))).not.toBe(second);
});

it('folding a log in one pass equals folding its events one by one', () => {
  for (const { events } of [completedLog(), longLog(300)]) {
    let state = emptyRunState('sample');
    for (const event of events) state = foldRun(state, event);
    expect(foldAll(emptyRunState('sample'), events)).toEqual(state);
  }
});

it('does not modify the state that a fold continues from', () => {
  const { events } = longLog(300);
  const middle = foldAll(emptyRunState('sample'), events.slice(0, 150));
  const before = structuredClone(middle);
  const once = foldAll(middle, events.slice(150));
  expect(middle).toEqual(before);
  expect(foldAll(middle, events.slice(150))).toEqual(once);
});

it('extends the conversation of a long log in place', () => {
  const { events } = longLog(300);
  const fold = new RunFold(emptyRunState('sample'));
  const lists = new Set<readonly unknown[]>();
  for (const event of events) {
    fold.add(event);
    lists.add(fold.state.messages);
  }
  expect(fold.state.messages.length).toBeGreaterThan(100);
  expect(lists.size).toBeLessThan(5);
});
