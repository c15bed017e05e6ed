import { expect, it } from 'vitest';
import { keysOf } from '../../lib/util/records.ts';
import { CASES, callsOf, LOADS, modelName, readModelName } from './loads.ts';

const names = keysOf(LOADS);

it.each(names)('never repeats a call of the load "%s", which would end the run', (name) => {
  const { iterations } = CASES.long;
  const calls = Array.from({ length: iterations }, (_, iteration) => callsOf(LOADS[name], iteration)).flat();
  expect(calls).toHaveLength(iterations * LOADS[name].calls);
  expect(new Set(calls.map((call) => JSON.stringify(call))).size).toBe(calls.length);
});

it('asks for a write in every fourth reply of the mixed load', () => {
  const asked = Array.from({ length: 8 }, (_, iteration) => callsOf(LOADS.mixed, iteration)[0]?.name);
  expect(asked.map((name) => name === 'write_file')).toEqual([0, 0, 0, 1, 0, 0, 0, 1].map(Boolean));
});

it.each(names)('finds the load "%s" in the name of its model', (name) => {
  expect(readModelName(modelName(name, 20, 'run-1'))).toEqual({ load: LOADS[name], iterations: 20 });
});

it('rejects a model without a load', () => {
  expect(() => readModelName('qwen3:8b')).toThrow('There is no load');
  expect(() => readModelName('toString-20:x')).toThrow('There is no load');
});
