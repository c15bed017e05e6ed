import { expect, it, vi } from 'vitest';
import { memoized } from './memoized.ts';

it('computes a result once per object, even if it is undefined', () => {
  const compute = vi.fn(({ name }: { name: string }) => (name === '' ? undefined : name.toUpperCase()));
  const upper = memoized(compute);
  const [one, other, empty] = [{ name: 'a' }, { name: 'a' }, { name: '' }];
  expect([upper(one), upper(one), upper(other), upper(empty), upper(empty)]).toEqual([
    ...['A', 'A', 'A'],
    ...[undefined, undefined],
  ]);
  expect(compute).toHaveBeenCalledTimes(3);
});

it('computes a result again after an error', () => {
  const compute = vi.fn().mockImplementationOnce(() => {
    throw new Error('not yet');
  });
  const once = memoized(compute);
  const key = {};
  expect(() => once(key)).toThrow('not yet');
  compute.mockReturnValue(1);
  expect(once(key)).toBe(1);
});
