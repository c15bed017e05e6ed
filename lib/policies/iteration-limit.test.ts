import { expect, it } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { ITERATION_LIMITS } from '../events/settings.ts';
import { getMaxIterations } from './iteration-limit.ts';

it.each([
  ['trivial', 5],
  ['standard', 10],
  ['complex', 20],
] as const)('%s is %i [N3 (1-3), G1]', (tier, limit) => {
  expect(getMaxIterations({ tier })).toBe(limit);
  expect(ITERATION_LIMITS[tier]).toBe(limit);
});

it('no tier is 10 [N3 (4), G2]', () => {
  expect(getMaxIterations({})).toBe(10);
});

it('an override wins [N3 (5), G3]', () => {
  expect(getMaxIterations({ tier: 'complex', max_iterations: 3 })).toBe(3);
  expect(getMaxIterations({ max_iterations: 100 })).toBe(100);
});

it.each([0, -1, 101, 2.5, Number.NaN, Number.POSITIVE_INFINITY, '3', true, null])(
  'rejects a request with the limit %s [G3, K-14]',
  (max_iterations) => {
    const request = createRunRequest.safeParse({ task: 'Do it.', model: 'm', max_iterations });
    expect(request.error?.issues[0]?.path).toEqual(['max_iterations']);
  },
);

it('rejects a request with an unknown tier [G2]', () => {
  const request = createRunRequest.safeParse({ task: 'Do it.', model: 'm', tier: 'huge' });
  expect(request.error?.issues[0]?.path).toEqual(['tier']);
});
