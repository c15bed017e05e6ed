import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { emptyRunState } from '../events/run-state.ts';
import type { Residency } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import { isReady, type ReadyState } from '../policies/rule.ts';
import { completedLog } from '../testing/sample-logs.ts';
import { ResidencyCheck } from './residency-check.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const WINDOW = 4096;
const loaded: Residency = { state: 'loaded', model: { contextTokens: WINDOW } };

function readyState(): ReadyState {
  const state = foldAll(emptyRunState('run'), completedLog().events);
  if (!isReady(state) || !state.loaded) throw new Error('The sample has no load');
  return { ...state, calls: 1, loaded: { ...state.loaded, context_tokens: WINDOW } };
}
const state = readyState();

/** A check of a server that gives these answers in turn, and then repeats the last one. */
function checkOf(...answers: (Residency | Promise<Residency>)[]) {
  const stop = new AbortController();
  let now = 0;
  const inMemory = vi.fn(async () => (answers.length > 1 ? answers.shift() : answers[0]) ?? loaded);
  return {
    check: new ResidencyCheck({ inMemory }, stop.signal, () => now),
    inMemory,
    stop,
    wait: (ms: number) => {
      now += ms;
    },
  };
}

it('does not ask right after a load', async () => {
  const { check, inMemory, wait } = checkOf({ state: 'not_loaded' });
  check.noteLoad();
  wait(20);
  expect(await check.findChange(state)).toBeUndefined();
  expect(inMemory).not.toHaveBeenCalled();
});

it('asks when time has passed since then', async () => {
  const { check, inMemory, wait } = checkOf({ state: 'not_loaded' });
  check.noteLoad();
  wait(21);
  expect(await check.findChange(state)).toEqual({ cause: 'unloaded' });
  expect(inMemory).toHaveBeenCalledTimes(1);
});

it('shares an answer between calls within milliseconds of each other', async () => {
  const { check, inMemory, wait } = checkOf(loaded);
  for (const calls of [1, 2, 3]) {
    expect(await check.findChange({ ...state, calls })).toBeUndefined();
    wait(10);
  }
  expect(inMemory).toHaveBeenCalledTimes(1);
  await check.findChange({ ...state, calls: 4 });
  expect(inMemory).toHaveBeenCalledTimes(2);
});

it('names the window that another client loaded the model with', async () => {
  const { check } = checkOf({ state: 'loaded', model: { contextTokens: 8192 } });
  expect(await check.findChange(state)).toEqual({ cause: 'other_window', found_context_tokens: 8192 });
});

it('finds one change per call', async () => {
  const { check, inMemory } = checkOf({ state: 'not_loaded' });
  expect(await check.findChange(state)).toBeDefined();
  expect(await check.findChange(state)).toBeUndefined();
  expect(await check.findChange({ ...state, calls: 2 })).toBeDefined();
  expect(inMemory).toHaveBeenCalledTimes(2);
});

it.each<[string, Residency]>([
  ['is as the run loaded it', loaded],
  ['may be loaded under another name', { state: 'unknown' }],
])('finds no change in a model that %s', async (_, found) => {
  expect(await checkOf(found).check.findChange(state)).toBeUndefined();
});

it('lets the call go ahead if the server does not answer in time', async () => {
  const { check } = checkOf(new Promise<Residency>(() => {}));
  const change = check.findChange(state);
  await vi.runAllTimersAsync();
  expect(await change).toBeUndefined();
});

it('leaves a failing server to the call, but reports a bug', async () => {
  const failing = (error: Error) => checkOf(Promise.reject(error)).check;
  const unreachable = failing(new ModelError({ kind: 'unreachable', message: 'gone' }));
  expect(await unreachable.findChange(state)).toBeUndefined();
  await expect(failing(new TypeError('bug')).findChange(state)).rejects.toThrow('bug');
});

it('asks nothing once the run is stopped, or where the server cannot tell', async () => {
  const stopped = checkOf({ state: 'not_loaded' });
  stopped.stop.abort();
  expect(await stopped.check.findChange(state)).toBeUndefined();
  const silent = checkOf({ state: 'not_loaded' });
  const untold = { ...state.loaded, context_tokens: undefined, size_bytes: undefined };
  expect(await silent.check.findChange({ ...state, loaded: untold as ReadyState['loaded'] })).toBeUndefined();
  for (const { inMemory } of [stopped, silent]) expect(inMemory).not.toHaveBeenCalled();
});
