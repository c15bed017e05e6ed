import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_FACTOR_VALUES } from '../events/limits.ts';
import { SETTING_NAMES } from '../events/settings.ts';
import { experimentRequest } from './experiment.ts';
import { factorFields, factorLists, factorProblems } from './experiment-factors.ts';

it('accepts any setting, the named model options and any other option of Ollama', () => {
  const factors = {
    window_tokens: [8192, 32_768],
    num_predict: [512, [1024, 2048]],
    think: [false, 'high'],
    parser_layers: [['native'], ['native', 'json', 'xml']],
    stall_guard: [true, false],
    tier: ['trivial', 'complex'],
    diversity: [{ threshold: 0.5 }],
    max_cycles: [null, 5],
    temperature: [0, 0.7],
    top_p: [0.9],
    'model_options.num_gpu': [-1, 20],
    'model_options.stop': [['END']],
    'model_options.newer_option': ['on', 2],
  };
  expect(factorProblems(factors)).toEqual([]);
});

it.each([
  [{ temprature: [0] }, ['temprature'], 'There is no such setting. Did you mean temperature?'],
  [{ num_gpu: [1] }, ['num_gpu'], /^There is no such setting\. .*model_options\.num_gpu\.$/],
  [{ num_gup: [1] }, ['num_gup'], /^There is no such setting\. .*model_options\.num_gpu\.$/],
  [
    { 'model_options.temprature': [0] },
    ['model_options.temprature'],
    'There is no such model option. Did you mean temperature?',
  ],
  [{ seed: [1] }, ['seed'], 'List seeds in the field seeds.'],
  [{ 'model_options.seed': [1] }, ['model_options.seed'], 'List seeds in the field seeds.'],
  [{ model_options: [{}] }, ['model_options'], /model_options\.top_p/],
  [{ 'model_options.__proto__': [1] }, ['model_options.__proto__'], /lowercase/],
  [
    { stall_threshold: [5, 0] },
    ['stall_threshold', 1],
    /^0 is not valid: must be a whole number from 1 to 100\./,
  ],
  [
    { think: ['deep'] },
    ['think', 0],
    /^"deep" is not valid: must be true, false, "low", "medium", "high" or "max"\./,
  ],
  [{ parser_layers: [['native', 'regex']] }, ['parser_layers', 0], /is not valid: 1: must be one of /],
  [{ 'model_options.num_ctx': ['8k'] }, ['model_options.num_ctx', 0], /is not valid/],
  [{ 'model_options.mirostat': [{ a: 1 }] }, ['model_options.mirostat', 0], /is not valid/],
  [{ top_p: [0.5, 0.9, 0.5] }, ['top_p', 2], 'It is the same as value 1.'],
  [{ top_p: [] }, ['top_p'], /1 to 50 values; this one has 0/],
  [
    { top_p: [0.5], 'model_options.top_p': [0.9] },
    ['model_options.top_p'],
    'This is the same option as top_p.',
  ],
])('refuses %j with the place and the reason', (factors, path, message) => {
  const problems = factorProblems(factors);
  expect(problems).toHaveLength(1);
  expect(problems[0]?.path).toEqual(path);
  expect(problems[0]?.message).toMatch(message);
});

it('refuses a factor that the plan also sets elsewhere', () => {
  const problemsOf = (...asked: Parameters<typeof factorProblems>) =>
    factorProblems(...asked).map(({ message }) => message);
  expect(problemsOf({ max_iterations: [5] }, { settings: { max_iterations: 9 } })).toEqual([
    'settings also sets it. Remove it from settings.',
  ]);
  expect(problemsOf({ temperature: [0] }, { options: [{ temperature: 1 }] })).toEqual([
    'The option sets also set it. Remove temperature from options.',
  ]);
  expect(problemsOf({ window_tokens: [4096] }, { options: [{ num_ctx: 1 }] })).toHaveLength(1);
  expect(problemsOf({ max_cycles: [5] }, { cycles: 3 })).toHaveLength(1);
});

it('refuses a seed among the options of a plan that lists seeds, where it would have no effect', () => {
  const problemsOf = (seeds: number[]) =>
    experimentRequest
      .safeParse({ name: 'x', models: ['m'], options: [{}, { seed: 4 }], seeds })
      .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  expect(problemsOf([1, 2])).toEqual([
    'options.1.seed: The field seeds also sets it. Remove one of the two.',
  ]);
  expect(problemsOf([])).toBeUndefined();
});

it('names the factor and the value in the error of a request', () => {
  const read = experimentRequest.safeParse({
    name: 'x',
    models: ['m'],
    factors: { compact_at: [0.5, 7], tmeperature: [1] },
  });
  expect(read.error?.issues.map(({ path }) => path.join('.'))).toEqual([
    'factors.compact_at.1',
    'factors.tmeperature',
  ]);
});

it('sets settings and options under the names of POST /api/runs', () => {
  expect(
    factorFields({
      num_predict: 512,
      'model_options.num_ctx': 4096,
      temperature: 0,
      'model_options.min_p': 0.1,
      think: 'low',
    }),
  ).toEqual({
    settings: { num_predict: [512, 512], window_tokens: 4096, think: 'low' },
    options: { temperature: 0, min_p: 0.1 },
  });
});

it('answers any factors with problems instead of an exception', () => {
  const name = fc.oneof(fc.constantFrom(...SETTING_NAMES), fc.string(), fc.constant('model_options.top_p'));
  fc.assert(
    fc.property(fc.dictionary(name, fc.array(fc.jsonValue(), { maxLength: 60 })), (factors) => {
      for (const { path, message } of factorProblems(factorLists.parse(factors))) {
        expect(message.length).toBeGreaterThan(0);
        expect(Object.keys(factors)).toContain(path[0]);
      }
      for (const [each, values] of Object.entries(factors)) {
        const found = factorProblems(factorLists.parse({ [each]: values }));
        if (values.length > MAX_FACTOR_VALUES) expect(found.length).toBeGreaterThan(0);
      }
    }),
  );
});
