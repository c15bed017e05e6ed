import { expect, it } from 'vitest';
import { MODEL_OPTION_NAMES } from '../events/settings.ts';
import { misspelledOption, OLLAMA_OPTIONS, optionValueProblem } from './model-options.ts';

it.each([
  ['temprature', 'temperature'],
  ['Temperature', 'temperature'],
  ['numGpu', 'num_gpu'],
  ['repeat_penality', 'repeat_penalty'],
  ['mirostat_ta', 'mirostat_tau'],
])('takes %s for %s', (name, meant) => {
  expect(misspelledOption(name)).toBe(`There is no such model option. Did you mean ${meant}?`);
});

it('suggests nothing for options of Ollama and for names that resemble none', () => {
  expect(OLLAMA_OPTIONS).toEqual(expect.arrayContaining([...MODEL_OPTION_NAMES]));
  for (const name of [...OLLAMA_OPTIONS, 'dry_multiplier', 'xtc_probability', 'speculative']) {
    expect(misspelledOption(name)).toBeUndefined();
  }
});

it.each([
  ['temperature', 'hot', 'must be a number, not "hot".'],
  ['top_p', true, 'must be a number, not true.'],
  ['seed', 1.5, 'must be a whole number, not 1.5.'],
  ['num_gpu', '1', 'must be a whole number, not "1".'],
  ['num_batch', 0, 'must be a whole number of at least 1, not 0.'],
  ['use_mmap', 1, 'must be true or false, not 1.'],
  ['stop', 'END', 'must be a list of strings, such as ["END"], not "END".'],
  ['newer_option', ['a'], 'must be a number, a string, true or false, not ["a"].'],
  ['top_k', 'x'.repeat(500), `must be a whole number, not "${'x'.repeat(58)}….`],
])('refuses %s: %j', (name, value, problem) => {
  expect(optionValueProblem(name, value)).toBe(problem);
});

it('accepts what Ollama accepts, and any single value of an option it may have later', () => {
  const valid = {
    ...{ temperature: -0.5, seed: -1, num_gpu: -1, num_batch: 1, num_thread: 0, repeat_last_n: -1, min_p: 0 },
    ...{ use_mmap: false, stop: [], newer_option: 'on', dry_multiplier: 0.8 },
  };
  for (const [name, value] of Object.entries(valid)) expect(optionValueProblem(name, value)).toBeUndefined();
});
