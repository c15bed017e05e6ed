import { expect, it } from 'vitest';
import type { SimilarityMeasure } from '../../events/similarity-matrix.ts';
import { bothMeasureWords, diversityMeasureWords, measuredWords, noveltyMeasureWords } from './plot-words.ts';

function table(measure: SimilarityMeasure, novelty: readonly (SimilarityMeasure | undefined)[]) {
  return { measure, rows: novelty.map((by) => (by ? { novelty_measure: by } : {})) };
}

it('names the measure of novelty and diversity, and both where they differ', () => {
  expect(measuredWords(table('ngram', [undefined, 'ngram']))).toBe(
    'Novelty and diversity, by groups of three words.',
  );
  expect(measuredWords(table('embeddings', []))).toBe('Novelty and diversity, by embeddings.');
  const mixed = table('embeddings', [undefined, 'embeddings', 'ngram']);
  expect(measuredWords(mixed)).toBe(
    'Novelty, by groups of three words and embeddings; diversity, by embeddings.',
  );
  expect(bothMeasureWords(mixed)).toBe('by groups of three words and embeddings');
  // A log from before vectors were recorded.
  expect(measuredWords(table('ngram', ['embeddings']))).toBe(
    'Novelty, by embeddings; diversity, by groups of three words.',
  );
});

it('names every measure of several explorations', () => {
  const tables = [table('ngram', ['ngram']), table('embeddings', [undefined])];
  expect(diversityMeasureWords(tables)).toBe('by groups of three words and embeddings');
  expect(noveltyMeasureWords(tables)).toBe('by groups of three words');
  expect(noveltyMeasureWords([table('ngram', [undefined])])).toBe('');
});
