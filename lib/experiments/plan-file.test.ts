import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { experimentRequest } from '../api/experiment.ts';
import { errorMessage } from '../util/error-message.ts';
import { describeFieldProblems, IN_WORDS } from '../util/schema-problems.ts';
import { chosenCases } from './experiment-suite.ts';
import { readPlanFile, writePlanFile } from './plan-file.ts';

const refusal = (text: string): string => {
  try {
    readPlanFile(text);
  } catch (error) {
    return errorMessage(error);
  }
  throw new Error('The file was read.');
};

describe('readPlanFile', () => {
  it('names a field as the interface does', () => {
    const plan = { name: 'x', models: ['a'], options: [{ temperature: 'hot' }] };
    const read = experimentRequest.safeParse(plan, IN_WORDS);
    const [problem] = describeFieldProblems(read.error?.issues ?? [], 'body');
    expect(problem).toBe('options.0.temperature: must be a number, not "hot".');
    expect(refusal(JSON.stringify(plan))).toBe(`line 1: ${problem}`);
  });

  it('reads YAML and JSON', () => {
    const request = { name: 'Windows', mode: 'task', models: ['a', 'b'], task: 'Read it', repeats: 3 };
    const yaml = 'name: Windows\nmode: task\nmodels: [a, b]\ntask: Read it\nrepeats: 3\n';
    expect(readPlanFile(yaml)).toEqual({ request });
    expect(readPlanFile(JSON.stringify(request))).toEqual({ request });
  });

  it('names the suite file and the chosen cases', () => {
    const text = 'name: Mine\nmodels: [a]\nsuite:\n  file: ./cases.yaml\n  tags: [read]\n';
    expect(readPlanFile(text)).toEqual({
      request: { name: 'Mine', models: ['a'] },
      suiteFile: { path: './cases.yaml', tags: ['read'] },
    });
  });

  it.each([
    [
      'name: x\nmodels: [a]\nsuite: {file: a.yaml, shipped: basics}',
      /line 3: suite.shipped: cannot be given/,
    ],
    ['name: x\nmodels: [a]\nsuite: {file: 7}', /line 3: suite.file: must be the path/],
    ['name: x\nmodels: [a]\nfactors:\n  temprature: [0, 1]', /line 4: factors.temprature: .*temperature/],
    ['name: x\nmodels: [a]\nrepeets: 3', /line 3: repeets: unknown field. Did you mean "repeats"\?/],
    [
      'name: x\nmodels: [a]\nsettings:\n  max_iteration: 5',
      /line 4: settings.max_iteration: unknown field. Did you mean "max_iterations"\?/,
    ],
    [
      'name: x\nmodels: [a]\nsettings:\n  budget: {max_second: 5}',
      /line 4: settings.budget.max_second: unknown field. Did you mean "max_seconds"\?/,
    ],
    [
      'name: x\nmodels: [a]\nsuite: {fille: a.yaml}',
      /line 3: suite.fille: unknown field. Did you mean "file"\?/,
    ],
    [
      `name: x\nmodels: [a]\noptions:\n  - {}\n  - ${JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`temperatur${at}`, 1])))}`,
      /line 5: options\.1: There can be at most 100 options\.$/,
    ],
    [
      'name: x\nmodels: [a]\noptions:\n  - {top_k: 1}\n  - {temprature: 0}',
      /line 5: options\.1\.temprature: There is no such model option. Did you mean temperature\?/,
    ],
    [
      'name: x\nmodels: [a]\nfactors:\n  model_options.mirostart: [1]',
      /line 4: factors.model_options.mirostart: There is no such model option. Did you mean mirostat\?/,
    ],
    ['name: x\nmodels: []', /line 2: models: Choose a model./],
    ['models: [a]', /name: is missing/],
    ['format: other/1\nname: x\nmodels: [a]', /line 1: format: must be "loupe-experiment\/1"/],
    ['name: [', /line \d/],
    ['just text', /must be an object/],
    [
      'a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]',
      /alias/i,
    ],
  ])('refuses %j with its line and the reason', (text, reason) => {
    expect(refusal(text)).toMatch(reason);
  });
});

describe('writePlanFile', () => {
  it('writes a file that is read back as the same plan', () => {
    const plan = fc.record({
      name: fc.string({ minLength: 1, maxLength: 40 }).filter((name) => name.trim() === name && name !== ''),
      mode: fc.constantFrom('task', 'prompt', 'explore', 'session'),
      models: fc.uniqueArray(fc.constantFrom('a', 'b:7b', 'null', '1e3', 'yes'), { minLength: 1 }),
      task: fc.string({ maxLength: 60 }),
      seeds: fc.uniqueArray(fc.nat(100), { maxLength: 3 }),
      repeats: fc.integer({ min: 1, max: 4 }),
      factors: fc.constantFrom({}, { temperature: [0, 0.5] }, { think: [false, 'low'] }),
    });
    fc.assert(
      fc.property(plan, (drawn) => {
        const { confirm_runs: _, ...given } = experimentRequest.parse(drawn);
        const { request } = readPlanFile(writePlanFile(given));
        const read = experimentRequest.parse(request);
        expect({ factors: {}, ...read }).toEqual({ factors: {}, ...given });
      }),
    );
  });

  it('has the same texts for readers of YAML 1.1', () => {
    const asked = { name: 'on', mode: 'prompt', task: 'Yes', models: ['no'] };
    const { confirm_runs: _, ...plan } = experimentRequest.parse(asked);
    expect(parse(writePlanFile(plan), { version: '1.1' })).toMatchObject(asked);
  });

  it('names the suite file, which has only the chosen cases, in place of a suite and of what chooses its cases', () => {
    const { confirm_runs: _, ...plan } = experimentRequest.parse({
      name: 'x',
      models: ['a'],
      suite: { id: 'S1', hash: 'a'.repeat(64), tags: ['read', 'write'], cases: ['one'] },
    });
    const suite = {
      ...{ id: 'S1', name: 'Suite', hash: 'a'.repeat(64) },
      cases: [
        { id: 'one', input: 'Read.', tags: ['read'] },
        { id: 'two', input: 'Write.', tags: ['write'] },
      ],
    };
    const { cases } = chosenCases(suite, plan.suite ?? {});
    const { suiteFile } = readPlanFile(writePlanFile(plan, 'cases.jsonl'));
    expect(suiteFile?.path).toBe('cases.jsonl');
    expect(chosenCases({ ...suite, cases }, suiteFile ?? {}).cases).toEqual(cases);
  });
});
