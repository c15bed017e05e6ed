import { expect, it } from 'vitest';
import type { RatingReply, RatingResults } from '../api/rating.ts';
import { ratingLines } from './rate.ts';

const subjects = ['R1', 'R2', 'R3'].map((run_id) => ({ run_id, title: run_id, model: 'm', text: 'x' }));
const reply: RatingReply = {
  rating: {
    ...{ id: 'S', name: 'Clarity', created_at: 0, questionnaire: 'Q', subjects: 3, models: 2 },
    ...{ status: 'done', rated: 5, planned: 6 },
  },
  study: {
    ...{ id: 'S', name: 'Clarity', created_at: 0, part: 'output', subjects, models: ['a', 'b'] },
    questionnaire: {
      ...{ name: 'Q', description: '', instructions: '' },
      scale: { min: 1, max: 5, min_label: 'no', max_label: 'yes', level: 'ordinal' },
      items: [{ id: 'i', text: 'It is clear.', reversed: false }],
    },
  },
  failures: [],
  people: {},
};
const results: RatingResults = {
  raters: [
    { name: 'a', kind: 'model' },
    { name: 'b', kind: 'model' },
  ],
  ...{
    matrix: [
      [1, 2, 3],
      [1, 3, null],
    ],
    means: [1, 2.5, 3],
    items: [],
  },
  ...{ alpha: 0.5, paired: 2, complete: 2 },
  icc: { oneWay: 0.6, agreement: 0.7, consistency: 0.8, meanAgreement: 0.9 },
};

it('prints the coefficients of the page, and how many texts they use', () => {
  expect(ratingLines(reply, results).slice(-2)).toEqual([
    'alpha 0.50  ICC(2,1) 0.70  ICC(3,1) 0.80  ICC(2,k) 0.90',
    'Alpha uses the 2 of 3 texts that at least two raters rated, the ICCs the 2 that all raters rated.',
  ]);
  expect(
    ratingLines(reply, { ...results, icc: null, alpha: null, paired: 0, complete: 0 }).slice(-3),
  ).toEqual([
    'alpha -  ICC(2,1) -  ICC(3,1) -  ICC(2,k) -',
    'Alpha uses the 0 of 3 texts that at least two raters rated, the ICCs the 0 that all raters rated.',
    'Alpha needs a text that two raters rated, the ICCs two texts that all raters rated.',
  ]);
  expect(ratingLines(reply, { ...results, paired: 3, complete: 3 }).at(-1)).toMatch(/^alpha/);
});
