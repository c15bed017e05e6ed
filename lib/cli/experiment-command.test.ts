import { expect, it } from 'vitest';
import type { LoupeExperiments } from '../client/experiments.ts';
import { AppError } from '../errors/app-error.ts';
import { performExperiment } from './experiment-command.ts';

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
    {
      explainEmpty: async () => undefined,
      print: async () => undefined,
      report: async (lines) => void reported.push(...lines),
      json: async () => undefined,
      save: async () => undefined,
      reconnecting: () => undefined,
      interruptible: (_interrupted, work) => work(),
    },
  );
  expect(reported).toContain('Exp1  expired  1 of 8 runs  Windows');
  expect(code).toBe(1);
});
