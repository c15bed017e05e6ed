import { expect, it, vi } from 'vitest';
import type { ExperimentItem, ExperimentResult } from '../api/experiment.ts';
import type { LoupeExperiments } from '../client/experiments.ts';
import { AppError } from '../errors/app-error.ts';
import { cellsOf } from '../experiments/cells.ts';
import type { ExperimentCommand } from './experiment-arguments.ts';
import { type ExperimentTerminal, performExperiment } from './experiment-command.ts';

function terminalFor(handlers: Partial<ExperimentTerminal>): ExperimentTerminal {
  return {
    explainEmpty: async () => undefined,
    print: async () => undefined,
    report: async () => undefined,
    json: async () => undefined,
    save: async () => undefined,
    reconnecting: () => undefined,
    interruptible: (_interrupted, work) => work(),
    ...handlers,
  };
}

const cells = [1, 2].map((cell) => ({
  ...{ cell, judged: 0, runs: 0, done: 0, failed: 0, stopped: 0 },
  not_run_reasons: [],
}));

it.each<[string, ExperimentCommand, unknown[]]>([
  ['status', { action: 'status', json: true }, ['first', 'second']],
  ['status of one', { action: 'status', id: 'second', json: true }, ['second']],
  ['the studies', { action: 'studies', json: true }, ['guards', 'compaction']],
  ['results', { action: 'results', id: 'first', json: true }, cells],
])('prints %s with --json as one value per entry', async (_, command, values) => {
  const experiments = {
    list: async () => ['first', 'second'],
    get: async (id: string) => id,
    studies: async () => ['guards', 'compaction'],
    cells: async () => cells,
  } as unknown as LoupeExperiments;
  const json = vi.fn(async () => undefined);
  await performExperiment(command, experiments, terminalFor({ json }));
  expect(json.mock.calls).toEqual([values]);
});

const result = (kind: 'answered' | 'stopped'): ExperimentResult => ({
  ...{ status: 'completed', termination_reason: 'final_answer', message: '', output: '', seconds: 1 },
  ...{ iterations: 1, cycles: 0, model_calls: 1, tool_calls: 0, failed_tool_calls: 0 },
  ...{ tokens_in: 1, tokens_out: 1, memories: 0, messages: 0, files_written: 0 },
  outcome: { kind },
});

const item = (position: number, change: Partial<ExperimentItem>): ExperimentItem => ({
  ...{ position, model: 'm', options: {}, case: 'a', repeat: 1, status: 'done' },
  ...change,
});

it('names the runs that the results leave out, and the cells that lack a case', async () => {
  const cells = cellsOf([
    ...[item(1, { result: result('answered') }), item(2, { case: 'b', result: result('stopped') })],
    item(3, { model: 'other', status: 'waiting' }),
    item(4, { model: 'gone', status: 'failed', error: { code: 'x', message: 'Model "gone" is missing.' } }),
  ]);
  const experiments = { cells: async () => cells } as unknown as LoupeExperiments;
  const reported: string[] = [];
  await performExperiment(
    { action: 'results', id: 'Exp1', json: false },
    experiments,
    terminalFor({ report: async (lines) => void reported.push(...lines) }),
  );
  expect(reported).toEqual([
    '1 run has no result yet.',
    'Pass rates and figures leave out 1 run that did not run and 1 run that was stopped.',
    '1 run did not run: Model "gone" is missing.',
    expect.stringContaining('Cell 1 was judged on 1 of 2 cases:'),
  ]);
});

it.each<[string, Partial<ExperimentItem>, number]>([
  ['has its result', { result: result('answered') }, 0],
  ['is still waiting, because the rate can fall', { status: 'waiting' }, 1],
])('judges the rates of --fail-under by whether a run %s', async (_, last, code) => {
  const cells = cellsOf([item(1, { result: result('answered') }), item(2, { case: 'b', ...last })]);
  const experiments = { cells: async () => cells } as unknown as LoupeExperiments;
  const command: ExperimentCommand = { action: 'results', id: 'Exp1', json: false, failUnder: 0.8 };
  expect(await performExperiment(command, experiments, terminalFor({}))).toBe(code);
});

it('stops following an experiment whose status only a later version has, and fails', async () => {
  const experiment = { id: 'Exp1', name: 'Windows', status: 'expired', done: 1, failed: 0, total: 8 };
  const experiments = {
    studies: async () => [{ name: 'guards', plans: { small: {}, full: {} } }],
    start: async () => experiment,
    get: () => Promise.reject(new AppError({ code: 'followed', message: 'It was still followed.' })),
    cells: async () => [],
  } as unknown as LoupeExperiments;
  const reported: string[] = [];
  const code = await performExperiment(
    {
      ...{ action: 'study', study: 'guards', size: 'small', models: ['m'] },
      ...{ detach: false, json: false },
    },
    experiments,
    terminalFor({ report: async (lines) => void reported.push(...lines) }),
  );
  expect(reported).toContain('Exp1  expired  1 of 8 runs  Windows');
  expect(code).toBe(1);
});
