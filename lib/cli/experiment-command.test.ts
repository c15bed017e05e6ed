import { expect, it, vi } from 'vitest';
import type { LoupeExperiments } from '../client/experiments.ts';
import { AppError } from '../errors/app-error.ts';
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

const cells = [1, 2].map((cell) => ({ cell, judged: 0, not_run_reasons: [] }));

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
