import { expect, test } from 'vitest';
import { shareLabels } from './shared-labels.ts';

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
