import { expect, it } from 'vitest';
import { scoresOf, withoutScores, withScore } from './person-scores.ts';

const chosen = withScore(withScore(new Map(), 'first', { item: 'calm', score: 7 }), 'first', {
  item: 'clear',
  score: 2,
});

it('scores belong to the text that they were chosen for', () => {
  expect(scoresOf(chosen, 'first')).toEqual({ calm: 7, clear: 2 });
  expect(scoresOf(chosen, 'second')).toEqual({});
  const both = withScore(chosen, 'second', { item: 'calm', score: 1 });
  expect(scoresOf(both, 'first')).toEqual({ calm: 7, clear: 2 });
  expect(scoresOf(both, undefined)).toEqual({});
});

it('saved scores are gone, and those of other texts stay', () => {
  const both = withScore(chosen, 'second', { item: 'calm', score: 1 });
  expect([...withoutScores(both, 'first')]).toEqual([['second', { calm: 1 }]]);
});
