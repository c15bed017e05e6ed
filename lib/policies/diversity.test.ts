import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cosineSimilarity, jaccardIndex, wordGroups } from '../util/similarity.ts';
import { SimilarityMonitor } from './diversity.ts';

const ngramSimilarity = (a: string, b: string) => jaccardIndex(wordGroups(a), wordGroups(b));

const reflections = (...texts: string[]) =>
  texts.map((text, index) => ({ cycle: index + 1, text, seq: index + 1 }));
const byWords = {
  cycle: 9,
  measure: 'ngram' as const,
};

it('measures how many word n-grams two texts share [X21]', () => {
  expect(ngramSimilarity('The sky is blue today.', 'the SKY is blue, today')).toBe(1);
  expect(ngramSimilarity('The sky is blue today.', 'Water boils at a hundred degrees.')).toBe(0);
  const part = ngramSimilarity(
    'I looked at the sky and wrote a note',
    'I looked at the sea and wrote a poem',
  );
  expect(part).toBeGreaterThan(0.1);
  expect(part).toBeLessThan(0.6);
  expect(ngramSimilarity('Yes', 'yes!')).toBe(1);
  expect(ngramSimilarity('Yes', 'No')).toBe(0);
  expect(ngramSimilarity('', '')).toBe(1);
  expect(ngramSimilarity('', 'Something')).toBe(0);
});

it('similarity is symmetric, between 0 and 1, and 1 for a text with itself [X21]', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 200 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const value = ngramSimilarity(a, b);
      expect(value).toBe(ngramSimilarity(b, a));
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
      expect(ngramSimilarity(a, a)).toBe(1);
    }),
  );
});

it('compares vectors by direction', () => {
  expect(cosineSimilarity([1, 2, 3], [2, 4, 6])).toBeCloseTo(1);
  expect(cosineSimilarity([1, 0], [0, 1])).toBe(0);
  expect(cosineSimilarity([1, 0], [-1, 0])).toBe(0);
  expect(cosineSimilarity([], [])).toBe(0);
  expect(cosineSimilarity([0, 0], [1, 1])).toBe(0);
});

it('gives no advice while there is nothing to compare, and names the nearest cycle [X21]', () => {
  const monitor = new SimilarityMonitor({ threshold: 0.6, window: 2 });
  expect(monitor.advise([], byWords)).toBeUndefined();
  expect(monitor.advise(reflections('One.'), byWords)).toBeUndefined();
  const advice = monitor.advise(
    reflections(
      'I looked at the sky',
      'Something about the deep sea',
      'Stars and planets tonight',
      'I looked at the sky',
    ),
    byWords,
  );
  // The window covers the two reflections before the last one, so the equal one is outside it.
  expect(advice).toMatchObject({ compared: [2, 3], similarity: 0, nearest_cycle: 3 });
  expect(advice?.feedback).toBeUndefined();
  const wide = new SimilarityMonitor({ threshold: 0.6, window: 10 }).advise(
    reflections('I looked at the sky', 'Something else', 'I looked at the sky'),
    byWords,
  );
  expect(wide).toMatchObject({ similarity: 1, nearest_cycle: 1, cycle: 9 });
  expect(wide?.feedback).toMatch(/cycle 3 is 100% similar to that of cycle 1/);
});

it('compares no reflection without a word: two that say nothing are not alike [X21]', () => {
  const monitor = new SimilarityMonitor({ threshold: 0.6, window: 2 });
  expect(monitor.advise(reflections('', ''), byWords)).toBeUndefined();
  expect(monitor.advise(reflections('The sky', '…'), byWords)).toBeUndefined();
  expect(monitor.advise(reflections(' ', 'The sky'), byWords)).toBeUndefined();
  const advice = monitor.advise(reflections('The sky', '', 'The sky'), byWords);
  expect(advice).toMatchObject({ compared: [1], similarity: 1, nearest_cycle: 1 });
  const vectors = reflections('', '').map((each) => ({ ...each, vector: [1, 0] }));
  expect(monitor.advise(vectors, { cycle: 3, measure: 'embeddings' })).toBeUndefined();
});

it('never calls a reflection 100% similar that differs, as pages do not', () => {
  const [one, other] = reflections('I looked at the sky', 'I watched the sky');
  const advice =
    one &&
    other &&
    new SimilarityMonitor({ threshold: 0.6, window: 10 }).advise(
      [
        { ...one, vector: [1, 0] },
        { ...other, vector: [0.998, 0.0632] },
      ],
      { cycle: 3, measure: 'embeddings' },
    );
  expect(advice?.similarity).toBeCloseTo(0.998);
  expect(advice?.feedback).toMatch(/is 99% similar/);
});
