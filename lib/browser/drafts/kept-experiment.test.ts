import { expect, it } from 'vitest';
import { newCheck } from './check-draft.ts';
import { type ExperimentDraft, emptyExperiment } from './experiment-draft.ts';
import { experimentText, readExperimentText } from './kept-experiment.ts';

it('keeps only values that differ from an empty form', () => {
  const changes: Partial<ExperimentDraft> = {
    name: 'Which is better?',
    work: 'suite',
    suite: { reference: { shipped: 'basics' }, name: 'Basics', cases: [{ mode: 'prompt', tags: ['read'] }] },
    tags: ['read'],
    mode: 'explore',
    models: ['qwen3:8b'],
    checks: [newCheck('file_exists')],
    seeds: '1-5',
    diversity: true,
  };
  expect(readExperimentText(experimentText({ ...emptyExperiment, ...changes }))).toEqual(changes);
});

it('keeps nothing of an empty form, and no confirmation', () => {
  expect(experimentText({ ...emptyExperiment, confirmed: 1200 })).toBe('');
  expect(readExperimentText('')).toEqual({});
  expect(readExperimentText('{"confirmed": 1200}')).toEqual({});
});

it('leaves out values that the form cannot show', () => {
  const text = JSON.stringify({
    name: 'Kept',
    work: 'dance',
    mode: 'dance',
    suite: { reference: {}, name: 'x', cases: [] },
    models: [1],
    checks: [{ choice: 'guess', texts: {}, caseSensitive: false }],
    repeats: 3,
    diversity: 'yes',
    constructor: 'x',
  });
  expect(readExperimentText(text)).toEqual({ name: 'Kept' });
});
