import { expect, it } from 'vitest';
import { MODEL_OPTION_NAMES } from '../events/settings.ts';
import { misspelledOption, OLLAMA_OPTIONS } from './model-option-names.ts';

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
