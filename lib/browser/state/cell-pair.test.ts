import { expect, it } from 'vitest';
import type { PairsReply } from '../../api/experiment-cells.ts';
import { ofChosenCells } from './cell-pair.ts';

const reply: PairsReply = {
  a: 1,
  b: 2,
  both: 3,
  only_a: 2,
  only_b: 0,
  neither: 1,
  pairs: { only_a: [], only_b: [] },
};

it('shows no verdict on cells that are not chosen', () => {
  expect(ofChosenCells(reply, { a: 1, b: 2 })).toBe(reply);
  expect(ofChosenCells(reply, { a: 1, b: 3 })).toBeUndefined();
  expect(ofChosenCells(reply, { a: 2, b: 1 })).toBeUndefined();
  expect(ofChosenCells(undefined, { a: 1, b: 2 })).toBeUndefined();
});
