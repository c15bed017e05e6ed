import { expect, it } from 'vitest';
import { valueAt } from './value-at.ts';

it('finds the value at a path, and ignores inherited properties', () => {
  const value = { result: { output: { lines: ['a', 'b'] } } };
  expect(valueAt(value, 'result.output.lines.1')).toBe('b');
  expect(valueAt(value, 'result.nothing.here')).toBeUndefined();
  expect(valueAt(value, 'result.constructor.name')).toBeUndefined();
  expect(valueAt('text', 'length')).toBeUndefined();
});
