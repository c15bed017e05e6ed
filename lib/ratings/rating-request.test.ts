import { expect, it } from 'vitest';
import { questionnaire } from '../api/rating.ts';
import { ratingRequest } from './rating-request.ts';

const clarity = questionnaire.parse({
  name: 'Clarity',
  scale: { min: 1, max: 10, min_label: 'no', max_label: 'yes' },
  items: [{ id: 'plain', text: 'It is plain.' }],
});

it.each([
  ['English', 'a word ', 10_000],
  // Most models take about a token for each of these characters.
  ['Chinese', '文字文字文字文', 22_000],
])('asks for a window that holds 21,000 characters in %s', (_language, words, tokens) => {
  const { options } = ratingRequest('m', words.repeat(3000), clarity);
  expect(options.num_ctx - options.num_predict).toBeGreaterThan(tokens);
  expect(options.num_ctx).toBeLessThan(40_000);
});
