import { expect, it } from 'vitest';
import { Source, skipSpace } from './source.ts';

it('finds the next match, also when asked for an earlier place again', () => {
  const source = new Source('a b a b a');
  const find = (from: number) => source.find(/a/g, from)?.at;
  expect([find(0), find(1), find(5), find(0), find(9)]).toEqual([0, 4, 8, 0, undefined]);
});

it('counts what is read in vain, and stops beyond its allowance', () => {
  const source = new Source('{"a": oops}');
  expect(source.readJson(0)).toMatchObject({ ok: false, reason: 'malformed' });
  expect(source.spent).toBe(7);
  source.spend(20_000);
  expect(source.exhausted).toBe(true);
  expect(source.readJson(0)).toMatchObject({ ok: false, at: 0 });
});

it('does not read again what was open when a value failed', () => {
  const source = new Source('{"a":{"a":{"a":{"a":');
  source.readJson(0);
  const { spent } = source;
  for (const at of [5, 10, 15])
    expect(source.readJson(at)).toMatchObject({ ok: false, reason: 'cut', at: 20 });
  expect(source.spent).toBe(spent);
});

it('grants a costly thing a limited number of times', () => {
  const source = new Source('');
  expect([1, 2, 3].map(() => source.claim('x', 2))).toEqual([true, true, false]);
});

it('looks for a literal between two offsets', () => {
  const source = new Source('ab</x>cd');
  expect(source.indexOf('</x>', 0, 8)).toBe(2);
  expect(source.indexOf('</x>', 0, 2)).toBeUndefined();
  expect(source.indexOf('</y>', 0, 8)).toBeUndefined();
  const { spent } = source;
  expect(source.indexOf('</y>', 4, 8)).toBeUndefined();
  expect(source.spent).toBe(spent);
});

it('skips white space and the separator of MiniMax', () => {
  expect(skipSpace(' \n\t]<]minimax[>[ x', 0)).toBe(17);
  expect(skipSpace('  ', 0)).toBe(2);
});
