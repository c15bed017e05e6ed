import fc from 'fast-check';
import { expect, it } from 'vitest';
import { factorProblems } from '../../api/experiment-factors.ts';
import { FACTOR_NAMES } from '../../api/factor-names.ts';
import { readFactors } from './factor-lines.ts';

it('reads numbers, words, switches, lists and texts', () => {
  const read = readFactors(`
    window_tokens: 8192, 32768
    think = false, low
    stall_guard: true, false
    parser_layers: ["native"], ["native", "xml"]
    system: "Be brief, please.", ""
    model_options.stop: ["END", "\\n"], []
    model_options.newer_option: "a \\" b, c", [END]
    model_options.num_gpu: -1
    diversity: {"threshold": 0.5, "window": 3}`);
  expect(read).toEqual({
    ok: true,
    factors: {
      window_tokens: [8192, 32_768],
      think: [false, 'low'],
      stall_guard: [true, false],
      parser_layers: [['native'], ['native', 'xml']],
      system: ['Be brief, please.', ''],
      'model_options.stop': [['END', '\n'], []],
      'model_options.newer_option': ['a " b, c', '[END]'],
      'model_options.num_gpu': [-1],
      diversity: [{ threshold: 0.5, window: 3 }],
    },
  });
  expect(read.ok && factorProblems(read.factors)).toEqual([]);
});

it.each([
  ['hot', /one factor per line/],
  ['temprature: 1', 'temprature: There is no such setting. Did you mean temperature?'],
  ['num_gpu: 1', /write model_options\.num_gpu/],
  ['model_options.num_gup: 1', /There is no such model option\. Did you mean num_gpu\?/],
  ['seed: 1, 2', /own field/],
  ['top_p: 1\ntop_p: 0.5', /two lines/],
  ['top_p: ,', /at least one value/],
  ['stall_threshold: 5, 0', 'stall_threshold: 0 must be a whole number from 1 to 100.'],
  ['stall_guard: yes', 'stall_guard: "yes" must be true or false.'],
  ['model_options.num_batch: 64, 0', 'num_batch: 0 must be a whole number of at least 1.'],
  ['model_options.use_mmap: yes', 'use_mmap: "yes" must be true or false.'],
  ['tier: huge', 'tier: "huge" must be trivial, standard, complex.'],
  [`top_k: ${Array.from({ length: 51 }, (_, index) => index).join(', ')}`, /At most 50 values/],
])('says what is wrong with %j', (text, problem) => {
  const read = readFactors(text);
  expect(read).toMatchObject({ ok: false, problem: expect.stringMatching(problem) });
});

it('offers only names that the server takes', () => {
  for (const name of FACTOR_NAMES) {
    expect(factorProblems({ [name]: [] })).toMatchObject([{ message: expect.stringMatching(/1 to 50/) }]);
  }
});

it('reads any text, even a long one, or reports what is wrong', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'top_k:,"[]{}\\ 1\n') }), (text) => {
      const read = readFactors(text);
      if (!read.ok) expect(read.problem).not.toBe('');
    }),
  );
  expect(readFactors(`system: ${'['.repeat(50_000)}`).ok).toBe(true);
});
