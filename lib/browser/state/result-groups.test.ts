import { expect, it } from 'vitest';
import type { ExperimentItem, ExperimentResult } from '../../api/experiment.ts';
import { resultGroups } from './result-groups.ts';

const result = (change: Partial<ExperimentResult>): ExperimentResult => ({
  ...{ status: 'completed', termination_reason: 'final_answer', message: 'Done.', seconds: 1 },
  ...{ iterations: 1, cycles: 0, model_calls: 1, tool_calls: 0, failed_tool_calls: 0 },
  ...{ tokens_in: 1, tokens_out: 10, memories: 0, messages: 0, files_written: 0, output: '42' },
  ...change,
});
const item = (position: number, change: Partial<ExperimentItem>): ExperimentItem => ({
  ...{ position, model: 'alpha', options: {}, repeat: position, status: 'done' },
  ...change,
});

it('counts how many runs of the same thing ended alike, passed and agreed', () => {
  const groups = resultGroups([
    item(1, { result: result({ verification: 'pass', seconds: 1, tokens_out: 10 }) }),
    item(2, { result: result({ output: ' 42\n', verification: 'fail', seconds: 3, tokens_out: 20 }) }),
    item(3, { result: result({ output: '41', seconds: 9, tokens_out: 90 }) }),
    item(4, {
      result: result({ termination_reason: 'stall', status: 'partial', seconds: 2, tokens_out: 5 }),
    }),
    item(5, { status: 'waiting' }),
    item(6, { model: 'beta', options: { temperature: 1 } }),
  ]);
  expect(groups).toMatchObject([
    {
      ...{ model: 'alpha', runs: 5, done: 4, answered: 3, passed: 1, checked: 2, agreeing: 2 },
      ...{ seconds: 2.5, tokensOut: 15 },
    },
    { model: 'beta', runs: 1, done: 0, answered: 0, agreeing: 0, options: { temperature: 1 } },
  ]);
  expect(groups[1]?.seconds).toBeUndefined();
});

it('puts sets of options together whatever the order of their names', () => {
  const groups = resultGroups([
    item(1, { options: { top_p: 1, top_k: 2 } }),
    item(2, { options: { top_k: 2, top_p: 1 } }),
  ]);
  expect(groups).toHaveLength(1);
});
