import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeFieldProblems, IN_WORDS } from '../util/schema-problems.ts';
import { annotateRunRequest, annotateSelectionRequest } from './annotate-run.ts';
import { approvalsRequest, createRunRequest, messageRequest } from './create-run.ts';
import { experimentRequest } from './experiment.ts';
import { forkRequest } from './fork-run.ts';
import { addMcpServerRequest } from './mcp.ts';
import { presetRequest } from './preset.ts';
import { createRatingRequest, personScoresRequest, questionnaire } from './rating.ts';
import { rerunRequest } from './rerun-call.ts';
import { createSuiteRequest, suite } from './suite.ts';

function problems(schema: z.ZodType, value: unknown): string[] {
  const { issues = [] } = schema.safeParse(value, IN_WORDS).error ?? {};
  return describeFieldProblems(issues, 'body');
}

/** Words that zod uses where a schema has none. */
const LIBRARY_WORDS = /Invalid|Unrecognized|Too (small|big)|expected|received|>=|<=/;
const WRONG_VALUES = [null, '', 'x', -1, 1.5, 1e300, true, [], [1], [{}], {}, { a: [] }, 'y'.repeat(250_000)];

describe.each(
  Object.entries({
    ...{ createRunRequest, forkRequest, messageRequest, approvalsRequest, rerunRequest, annotateRunRequest },
    ...{ experimentRequest, presetRequest, addMcpServerRequest, createSuiteRequest, suite },
    ...{ createRatingRequest, personScoresRequest, questionnaire },
  }),
)('%s', (_, schema: z.ZodType) => {
  it('describes wrong values of each field in plain words', () => {
    const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    const values = [
      ...WRONG_VALUES,
      ...fields.flatMap((name) => WRONG_VALUES.map((value) => ({ [name]: value }))),
    ];
    for (const value of values) {
      expect(problems(schema, value).filter((line) => LIBRARY_WORDS.test(line))).toEqual([]);
    }
  });
});

it('describes the values that each setting accepts', () => {
  const found = problems(createRunRequest, {
    ...{ model: 'm', task: 't', window_tokens: 1, think: 'deep', num_predict: [100], keep_alive: {} },
    approval: { default: 'never', tools: { read_file: 'maybe', read_fil: 'ask' } },
    model_options: { temperature: {} },
    budget: { max_seconds: -1 },
  });
  expect(found.sort()).toEqual([
    'approval.default: must be one of "auto", "ask", "deny".',
    expect.stringMatching(
      /^approval\.tools\.read_fil: This is not the name of a tool\. The built-in tools are /,
    ),
    'approval.tools.read_file: must be one of "auto", "ask", "deny".',
    'budget.max_seconds: must be a number above 0.',
    'keep_alive: Enter a duration such as 30m or 1h30m, a number of seconds, or -1 to keep it loaded.',
    'model_options.temperature: must be a number, a string, true, false or a list of strings.',
    'num_predict: must be a list of two whole numbers above 0: the limit of the first try and that of the second.',
    'think: must be true, false, "low", "medium", "high" or "max".',
    'window_tokens: must be a whole number from 256 to 2,000,000.',
  ]);
});

it('says that a setting may be null', () => {
  expect(problems(createRunRequest, { model: 'm', mode: 'explore', max_cycles: 0 })).toEqual([
    'max_cycles: must be a whole number from 1 to 1,000, or null.',
  ]);
});

it('a fork and a call sent again refuse misspelled options, and can remove them', () => {
  const fork = (model_options: object) =>
    problems(forkRequest, { at: { end: true }, settings: { model_options } });
  expect(fork({ top_kk: 3 })).toEqual([
    'settings.model_options: top_kk: There is no such model option. Did you mean top_k?',
  ]);
  expect(fork({ top_kk: null })).toEqual([]);
  expect(problems(rerunRequest, { options: { top_kk: 3 } })).toEqual([
    'options: top_kk: There is no such model option. Did you mean top_k?',
  ]);
  expect(problems(rerunRequest, { options: { top_kk: null } })).toEqual([]);
});

it.each<[string, z.ZodType, (options: object) => object]>([
  ['model_options', createRunRequest, (model_options) => ({ model: 'm', task: 't', model_options })],
  ['run.model_options', presetRequest, (model_options) => ({ name: 'n', run: { model_options } })],
  [
    'settings.model_options',
    forkRequest,
    (model_options) => ({ at: { end: true }, settings: { model_options } }),
  ],
  ['options', rerunRequest, (options) => ({ options })],
])('%s must have the types that Ollama takes', (field, schema, request) => {
  expect(problems(schema, request({ temperature: 'hot', num_batch: 0, seed: 1.5 }))).toEqual([
    `${field}: temperature must be a number, not "hot".`,
    `${field}: num_batch must be a whole number of at least 1, not 0.`,
    `${field}: seed must be a whole number, not 1.5.`,
  ]);
  expect(problems(schema, request({ temperature: 0, newer_option: 'x' }))).toEqual([]);
});

it('the options and factors of an experiment must have the types that Ollama takes', () => {
  const options = [{ temperature: 'hot', num_ctx: 1 }, { num_batch: 64 }];
  const factors = { 'model_options.use_mmap': [true, 1], 'model_options.newer_option': [['a']] };
  expect(problems(experimentRequest, { name: 'n', models: ['m'], options, factors })).toEqual([
    'factors.model_options.use_mmap.1: 1 is not valid: must be true or false.',
    'factors.model_options.newer_option.0: ["a"] is not valid: must be a number, a string, true or false.',
    'options.0.temperature: must be a number, not "hot".',
    'options.0.num_ctx: must be a whole number from 256 to 2,000,000. Set window_tokens instead.',
  ]);
});

it('refuses a tag that a change both adds and removes', () => {
  const change = { add_tags: ['b', 'a '], remove_tags: ['a'] };
  const problem = 'add_tags: The tag "a" is both added and removed. Choose one.';
  expect(problems(annotateRunRequest, change)).toEqual([problem]);
  expect(problems(annotateSelectionRequest, { runs: ['r1'], ...change })).toEqual([problem]);
  expect(problems(annotateRunRequest, { ...change, remove_tags: ['c'] })).toEqual([]);
});

it('the cases of a suite refuse misspelled limits', () => {
  const cases = [{ id: 'a', input: 'Do it', settings: { budget: { max_second: 5 } } }];
  expect(problems(suite, { name: 'n', cases })).toEqual([
    expect.stringMatching(/^cases\.0\.settings\.budget\.max_second: /),
  ]);
});

it('names the fields of one decision as they were sent, and of several by their index', () => {
  const one = { call_id: 'c1', decision: 'denied', reason: 'y'.repeat(4001), scop: 'run' };
  const said = ['reason: must have at most 4,000 characters.', 'scop: unknown field.'];
  expect(problems(approvalsRequest, one)).toEqual(said);
  expect(problems(approvalsRequest, { decisions: [one] })).toEqual(said.map((line) => `decisions.0.${line}`));
  expect(problems(approvalsRequest, { call_id: 'c1', decision: 'yes' })).toEqual([
    'decision: must be one of "approved", "edited", "denied".',
  ]);
  expect(problems(approvalsRequest, [])).toEqual(['body: must be an object, not a list.']);
});

it('lists the places where a fork can begin', () => {
  expect(problems(forkRequest, { at: { iteration: 3 } })[0]).toMatch(
    /^at: must be \{"seq": N\}, .* or \{"end": true\}/,
  );
});

it('accepts emoji of several parts in tags, and no hidden characters', () => {
  expect(problems(annotateRunRequest, { tags: ['👩🏽‍🔬 lab', '❤️‍🔥'] })).toEqual([]);
  for (const tag of ['a,b', 'a\u200Db', 'a\u202Eb'])
    expect(problems(annotateRunRequest, { tags: [tag] })).toEqual([
      'tags.0: A tag must not contain commas or control characters.',
    ]);
});
