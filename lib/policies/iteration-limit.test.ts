import { expect, it } from 'vitest';
import { getMaxIterations, ITERATION_LIMITS } from './iteration-limit.ts';

const tier = (effective_tier: unknown) => ({ complexity: { effective_tier } });

it.each([
  ['trivial', 5],
  ['standard', 10],
  ['complex', 20],
])('N3 (1-3), G1: %s is %i', (name, limit) => {
  expect(getMaxIterations(tier(name))).toBe(limit);
});

it('N3 (4), G2: no tier and an unknown one are 10', () => {
  expect(getMaxIterations({})).toBe(10);
  expect(getMaxIterations({ complexity: {} })).toBe(10);
  expect(getMaxIterations(tier('huge'))).toBe(10);
  expect(getMaxIterations(tier('toString'))).toBe(10);
});

it('N3 (5), G3: an override wins', () => {
  expect(getMaxIterations({ ...tier('complex'), _agentic_max_iterations: 3 })).toBe(3);
  expect(getMaxIterations({ _agentic_max_iterations: 100 })).toBe(100);
});

it.each([0, -1, 101, 2.5, Number.NaN, Number.POSITIVE_INFINITY, '3', true])(
  'G3, K-14: rejects the override %s',
  (value) => {
    expect(() => getMaxIterations({ _agentic_max_iterations: value })).toThrow(/whole number from 1 to 100/);
  },
);

it('G1: keeps its limits by name', () => {
  expect(ITERATION_LIMITS).toEqual({ trivial: 5, standard: 10, complex: 20 });
});
