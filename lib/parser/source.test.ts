import { expect, it } from 'vitest';
import { Source } from './source.ts';
import { skipSpace } from './space.ts';

it('finds the next match, even when asked again about an earlier offset', () => {
  const source = new Source('a b a b a');
  const find = (from: number) => source.find(/a/g, from)?.at;
  expect([find(0), find(1), find(5), find(0), find(9)]).toEqual([0, 4, 8, 0, undefined]);
});

it('counts wasted reading and stops when its allowance is used up', () => {
  const source = new Source('{"a": oops}');
  expect(source.readJson(0)).toMatchObject({ ok: false, reason: 'malformed' });
  expect(source.spent).toBe(7);
  source.spend(20_000);
  expect(source.exhausted).toBe(true);
  expect(source.readJson(0)).toMatchObject({ ok: false, at: 0 });
});

it('does not reread containers that were open when a value failed', () => {
  const source = new Source('{"a":{"a":{"a":{"a":');
  source.readJson(0);
  const { spent } = source;
  for (const at of [5, 10, 15])
    expect(source.readJson(at)).toMatchObject({ ok: false, reason: 'cut', at: 20 });
  expect(source.spent).toBe(spent);
});

it('allows an expensive operation a limited number of times', () => {
  const source = new Source('');
  expect([1, 2, 3].map(() => source.claim('x', 2))).toEqual([true, true, false]);
});

it('searches for a literal between two offsets', () => {
  const source = new Source('ab</x>cd');
  expect(source.indexOf('</x>', 0, 8)).toBe(2);
  expect(source.indexOf('</x>', 0, 2)).toBeUndefined();
  expect(source.indexOf('</y>', 0, 8)).toBeUndefined();
  const { spent } = source;
  expect(source.indexOf('</y>', 4, 8)).toBeUndefined();
  expect(source.spent).toBe(spent);
});

it("skips white space and MiniMax's separator", () => {
  expect(skipSpace(' \n\t]<]minimax[>[ x', 0)).toBe(17);
  expect(skipSpace('  ', 0)).toBe(2);
});
