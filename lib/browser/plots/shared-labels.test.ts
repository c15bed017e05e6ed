import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shareLabels, widestLabel } from './shared-labels.ts';

test('labels of points that coincide are joined, and others keep their place', () => {
  expect(
    shareLabels([
      { x: 10, y: 50, label: '4' },
      { x: 14, y: 50, label: '5' },
      { x: 14, y: 90, label: '2' },
      { x: 60, y: 50, label: '1' },
    ]),
  ).toEqual([
    { x: 14, y: 50, label: '4, 5' },
    { x: 14, y: 90, label: '2' },
    { x: 60, y: 50, label: '1' },
  ]);
});

test('more than three labels of one place are counted', () => {
  const points = ['1', '2', '3', '4', '5'].map((label) => ({ x: 0, y: 0, label }));
  expect(shareLabels(points)).toEqual([{ x: 0, y: 0, label: '1, 2, 3 +2' }]);
});

test('a joined label is as wide as its text, and absorbs those that it would cover', () => {
  const at = (x: number, label: string) => ({ x, y: 50, label });
  // "11, 8" is 30 px wide.
  expect(shareLabels([at(0, '11'), at(16, '8'), at(55, '9')])).toEqual([at(55, '11, 8, 9')]);
  expect(shareLabels([at(0, '11'), at(16, '8'), at(56, '9')])).toEqual([at(16, '11, 8'), at(56, '9')]);
});

test('a joined label has fewer names where another is near', () => {
  const at = (x: number, label: string) => ({ x, y: 50, label });
  const four = [at(0, '1'), at(5, '2'), at(10, '3'), at(15, '4')];
  expect(shareLabels([...four, at(60, '5')])).toEqual([at(15, '1 +3'), at(60, '5')]);
  expect(shareLabels([...four, at(80, '5')])).toEqual([at(15, '1, 2 +2'), at(80, '5')]);
  expect(shareLabels([...four, at(90, '5')])).toEqual([at(15, '1, 2, 3 +1'), at(90, '5')]);
});

test('no label covers another, and every point is named or counted', () => {
  const point = fc.record({ x: fc.nat(300), y: fc.nat(80), label: fc.nat(200).map(String) });
  fc.assert(
    fc.property(fc.array(point, { maxLength: 60 }), (points) => {
      const shown = shareLabels(points);
      const widest = widestLabel(points.map(({ label }) => label));
      for (const [index, one] of shown.entries()) {
        expect(one.label.length * 6).toBeLessThanOrEqual(widest);
        for (const other of shown.slice(index + 1)) {
          const [left, right] = one.x < other.x ? [one, other] : [other, one];
          if (Math.abs(left.y - right.y) < 11)
            expect(right.x).toBeGreaterThanOrEqual(left.x + left.label.length * 6);
        }
      }
      const counted = shown.map(({ label }) => {
        const [names = '', more = '0'] = label.split(' +');
        return names.split(', ').length + Number(more);
      });
      expect(counted.reduce((sum, count) => sum + count, 0)).toBe(points.length);
    }),
  );
});
