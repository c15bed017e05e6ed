import { expect, it } from 'vitest';
import type { RatedText, RatingStudy } from '../api/rating.ts';
import { ratingResults } from './rating-results.ts';

const study: RatingStudy = {
  ...{ id: 'S', name: 'Clarity', created_at: 0, part: 'output', models: [] },
  subjects: ['R1', 'R2'].map((run_id) => ({ run_id, title: run_id, model: 'm', text: 'x' })),
  questionnaire: {
    ...{ name: 'Q', description: '', instructions: '' },
    scale: { min: 1, max: 5, min_label: 'no', max_label: 'yes', level: 'ordinal' },
    items: [{ id: 'i', text: 'It is clear.', reversed: false }],
  },
};
const rated = (rater: string, run_id: string): RatedText => ({ rater, run_id, scores: { i: 3 }, at: 0 });

it('counts the texts that all raters rated', () => {
  const three = [rated('Ada', 'R1'), rated('Ada', 'R2'), rated('Bob', 'R1')];
  expect(ratingResults(study, three).complete).toBe(1);
  expect(ratingResults(study, three.slice(0, 2)).complete).toBe(2);
});

it('counts the texts that at least two raters rated', () => {
  const ratings = [rated('Ada', 'R1'), rated('Ada', 'R2'), rated('Bob', 'R1')];
  expect(ratingResults(study, ratings).paired).toBe(1);
  expect(ratingResults(study, [...ratings, rated('Cy', 'R1'), rated('Cy', 'R2')])).toMatchObject({
    ...{ paired: 2, complete: 1 },
  });
  expect(ratingResults(study, ratings.slice(0, 2)).paired).toBe(0);
});

it('counts no text before anyone has rated', () => {
  expect(ratingResults(study, [])).toMatchObject({ raters: [], complete: 0, icc: null, alpha: null });
});
