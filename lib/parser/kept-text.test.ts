import { expect, it } from 'vitest';
import { KeptText } from './kept-text.ts';

it('keeps everything that is not cut', () => {
  const kept = new KeptText('0123456789');
  kept.cut(2, 4);
  kept.cut(4, 5);
  kept.cutWithCalls(7, 8);
  kept.keepTo(10);
  expect(kept.pieces).toEqual([
    { start: 0, end: 2 },
    { start: 5, end: 7 },
    { start: 7, end: 8, onlyWithoutCalls: true },
    { start: 8, end: 10 },
  ]);
});

it('returns text that turned out to be thinking', () => {
  const kept = new KeptText('0123456789');
  kept.cut(2, 3);
  kept.cut(5, 6);
  expect(kept.takeBack(3)).toEqual([{ start: 3, end: 5 }]);
  expect(kept.pieces).toEqual([{ start: 0, end: 2 }]);
});

it('recognizes the first line with visible text', () => {
  const kept = new KeptText('\n \n  a\nb');
  expect([0, 1, 3, 7].map((at) => kept.isFirstLine(at))).toEqual([false, false, true, false]);
  kept.keepTo(7);
  expect(kept.isFirstLine(7)).toBe(false);
  const cutAtOnce = new KeptText('<x>b');
  cutAtOnce.cut(0, 3);
  expect(cutAtOnce.isFirstLine(3)).toBe(true);
});
