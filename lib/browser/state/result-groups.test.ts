import { expect, it } from 'vitest';
import type { ExperimentItem, ExperimentResult } from '../../api/experiment.ts';
import { outcomeOfResult, resultGroups } from './result-groups.ts';

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
      ...{ model: 'alpha', runs: 5, done: 4, answered: 2, answers: 3, passed: 1, checked: 2, agreeing: 2 },
      ...{ seconds: 2.5, tokensOut: 15 },
    },
    { model: 'beta', runs: 1, done: 0, answered: 0, agreeing: 0, options: { temperature: 1 } },
  ]);
  expect(groups[1]?.seconds).toBeUndefined();
});

it('scores a model as answered only for whole answers that no check refutes', () => {
  const [group] = resultGroups([
    item(1, { result: result({ outcome: { kind: 'announced_work_did_none' }, status: 'partial' }) }),
    item(2, { result: result({ outcome: { kind: 'answered_cut_off' }, status: 'partial' }) }),
    item(3, {
      result: result({ outcome: { kind: 'answered_checks_failed', checks: { failed: 1, total: 3 } } }),
    }),
    item(4, { result: result({ outcome: { kind: 'answered' } }) }),
  ]);
  expect(group).toMatchObject({ done: 4, answered: 1, answers: 2, agreeing: 2 });
});

it('reads the outcome of a result that was stored before outcomes were', () => {
  const kindOf = (change: Partial<ExperimentResult>) => outcomeOfResult(result(change)).kind;
  expect(kindOf({})).toBe('answered');
  expect(kindOf({ cycles: 3 })).toBe('cycles_done');
  expect(kindOf({ verification: 'pass' })).toBe('answered');
  expect(kindOf({ verification: 'partial_pass' })).toBe('answered_checks_failed');
  expect(kindOf({ termination_reason: 'stall' })).toBe('stall');
});

it('puts sets of options together whatever the order of their names', () => {
  const groups = resultGroups([
    item(1, { options: { top_p: 1, top_k: 2 } }),
    item(2, { options: { top_k: 2, top_p: 1 } }),
  ]);
  expect(groups).toHaveLength(1);
});
