import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ToolCall } from '../parser/types.ts';
import { isRepetition } from './repetition.ts';

const a: ToolCall[] = [{ name: 'read_file', arguments: { path: 'a' } }];
const b: ToolCall[] = [{ name: 'read_file', arguments: { path: 'b' } }];
/** The current entry is added before the check (G8). */
const check = (...history: ToolCall[][]) => isRepetition(history, history.at(-1) ?? []);

it('is false below the threshold [N2 (1), G8]', () => {
  expect(check(a)).toBe(false);
  expect(check(a, a)).toBe(false);
});

it('is false when calls differ [N2 (2)]', () => {
  expect(check(a, b, a)).toBe(false);
  expect(check(a, a, b)).toBe(false);
});

it('is true for three equal iterations [N2 (3), G6]', () => {
  expect(check(a, a, a)).toBe(true);
  expect(check(b, a, a, a)).toBe(true);
});

it('is true for three equal iterations of several calls, in order [N2 (4)]', () => {
  const both = [...a, ...b];
  expect(check(both, both, both)).toBe(true);
  expect(check(both, [...b, ...a], both)).toBe(false);
});

it('an empty list is never a repetition [N2 (5), G9]', () => {
  expect(isRepetition([], [])).toBe(false);
  expect(check([], [], [])).toBe(false);
});

it('a different list resets the count [G9]', () => {
  expect(check(a, a, b, a, a)).toBe(false);
  expect(check(a, a, b, a, a, a)).toBe(true);
});

it('key order does not matter at any depth [G7, OL21]', () => {
  const one = [{ name: 'x', arguments: { a: 1, b: { c: [1, { d: 2, e: 3 }], f: null } } }];
  const other = [{ name: 'x', arguments: { b: { f: null, c: [1, { e: 3, d: 2 }] }, a: 1 } }];
  expect(check(one, other, one)).toBe(true);
  expect(check(one, [{ name: 'x', arguments: { a: '1', b: {} } }], one)).toBe(false);
});

it('uses the given threshold', () => {
  expect(isRepetition([a, a], a, 2)).toBe(true);
  expect(isRepetition([a, a, a], a, 4)).toBe(false);
});

it('is true exactly when the last three entries are equal [G6]', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(a, b), { minLength: 1, maxLength: 8 }), (history) => {
      const last = history.slice(-3);
      expect(check(...history)).toBe(last.length === 3 && last.every((calls) => calls === last[0]));
    }),
  );
});
