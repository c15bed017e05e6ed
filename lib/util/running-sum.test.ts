import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RunningSum } from './running-sum.ts';

interface Item {
  size: number;
}

const plain = (items: readonly Item[]) => items.reduce((sum, { size }) => sum + size, 0);

it('equals the plain sum of any growing list, whatever was queried before and whatever comes first', () => {
  const growth = fc.array(fc.tuple(fc.nat(1000), fc.boolean(), fc.nat(3)), { maxLength: 60 });
  fc.assert(
    fc.property(growth, (steps) => {
      const sum = new RunningSum<Item>(({ size }) => size);
      let items: readonly Item[] = [];
      for (const [size, asks, head] of steps) {
        items = [...items, { size }];
        if (asks) expect(sum.of(items)).toBe(plain(items));
        if (head > 0) {
          const prompt = [{ size: head }, ...items.slice(1)];
          expect(sum.of(prompt)).toBe(plain(prompt));
          expect(sum.of(items.slice(0, head))).toBe(plain(items.slice(0, head)));
        }
      }
      expect(sum.of(items)).toBe(plain(items));
    }),
  );
});

it('measures each item once, however often the list is summed', () => {
  let asked = 0;
  const sum = new RunningSum<Item>(({ size }) => {
    asked += 1;
    return size;
  });
  let items: readonly Item[] = [{ size: 1 }];
  for (let step = 0; step < 1000; step += 1) {
    items = [...items, { size: step }];
    sum.of(items);
    sum.of(items);
  }
  // Each sum measures the first item again.
  expect(asked).toBe(1000 + 2000);
});

it('keeps lists that diverge apart', () => {
  const sum = new RunningSum<Item>(({ size }) => size);
  const common = [{ size: 1 }, { size: 10 }];
  const one = [...common, { size: 100 }];
  const other = [...common, { size: 1000 }, { size: 5 }];
  expect([sum.of(one), sum.of(other), sum.of([...one, { size: 7 }])]).toEqual([111, 1016, 118]);
});
