import { expect, it } from 'vitest';
import { type CaseDraft, EMPTY_CASE } from './case-draft.ts';
import { newCheck } from './check-draft.ts';
import { type BenchmarkDraft, KEPT_BENCHMARK } from './kept-benchmark.ts';
import { KEPT_CASE } from './kept-case.ts';
import { fieldsText, readFieldsText } from './kept-fields.ts';
import { KEPT_PERSON, KEPT_RATING, type RatingDraft } from './kept-rating.ts';

const emptyRating: RatingDraft = {
  name: '',
  source: 'reports',
  text: '',
  part: 'output',
  runs: [],
  models: [],
};
const emptyBenchmark: BenchmarkDraft = { categories: ['multiple'], models: [], limit: '20', think: false };

it('keeps what differs from the form as it opened', () => {
  const changes: Partial<CaseDraft> = {
    id: 'new-case',
    mode: 'prompt',
    files: [{ path: 'a.txt', text: 'A' }],
    checks: [newCheck('file_exists')],
  };
  expect(readFieldsText(KEPT_CASE, fieldsText(KEPT_CASE, { ...EMPTY_CASE, ...changes }, EMPTY_CASE))).toEqual(
    changes,
  );
  const run = { id: 'r1', title: 'Say hello', model: 'qwen3:8b', created_at: 5 };
  const rating: Partial<RatingDraft> = { name: 'Answers', part: 'reflections', runs: [run], models: ['a'] };
  expect(
    readFieldsText(KEPT_RATING, fieldsText(KEPT_RATING, { ...emptyRating, ...rating }, emptyRating)),
  ).toEqual(rating);
  const benchmark: Partial<BenchmarkDraft> = { categories: [], models: ['a'], limit: '', think: true };
  expect(
    readFieldsText(
      KEPT_BENCHMARK,
      fieldsText(KEPT_BENCHMARK, { ...emptyBenchmark, ...benchmark }, emptyBenchmark),
    ),
  ).toEqual(benchmark);
  const person = { person: 'Ada', scores: { r1: { calm: 3 } } };
  expect(readFieldsText(KEPT_PERSON, fieldsText(KEPT_PERSON, person, { person: '', scores: {} }))).toEqual(
    person,
  );
});

it('keeps nothing of a form that was not changed', () => {
  expect(fieldsText(KEPT_RATING, { ...emptyRating }, emptyRating)).toBe('');
  expect(readFieldsText(KEPT_RATING, '')).toEqual({});
});

it('leaves out what the form could not show', () => {
  expect(
    readFieldsText(KEPT_CASE, '{"id": "a", "mode": "dance", "files": [{"path": 1}], "constructor": "x"}'),
  ).toEqual({ id: 'a' });
  expect(
    readFieldsText(KEPT_RATING, '{"runs": [{"id": "r1"}], "part": "all", "models": "a", "name": "b"}'),
  ).toEqual({
    name: 'b',
  });
  expect(readFieldsText(KEPT_BENCHMARK, '{"categories": ["none"], "limit": 5, "think": true}')).toEqual({
    think: true,
  });
  expect(readFieldsText(KEPT_PERSON, '{"scores": {"r1": {"calm": "3"}}, "person": "Ada"}')).toEqual({
    person: 'Ada',
  });
});
