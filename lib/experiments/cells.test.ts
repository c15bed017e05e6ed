import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ExperimentItem, ExperimentResult } from '../api/experiment.ts';
import { didRun, outcomeOfResult } from '../api/result-outcome.ts';
import { cellsOf, comparePairs, itemsOfCell, verdictsOf } from './cells.ts';

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

it('counts how many runs of a cell ended alike, passed and agreed', () => {
  const groups = cellsOf([
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
      ...{
        cell: 1,
        model: 'alpha',
        runs: 5,
        done: 4,
        passed: 2,
        judged: 4,
        answers: 3,
        checked: 2,
        agreeing: 2,
      },
      figures: { seconds: { median: 2.5, mean: 3.75, runs: 4 }, tokens_out: { median: 15 } },
      endings: { answered: 2, answered_checks_failed: 1, stall: 1 },
      pass_k: [{ k: 1, pass_at_k: 0.5 }, { k: 2 }, { k: 3 }],
    },
    { cell: 2, model: 'beta', runs: 1, done: 0, judged: 0, agreeing: 0, options: { temperature: 1 } },
  ]);
  expect(groups[0]?.rate?.value).toBe(0.5);
  expect(groups[1]).not.toHaveProperty('rate');
  expect(groups[1]?.figures).toEqual({});
});

it('opinions have their own figures and do not affect the pass rate [V12]', () => {
  const verified = { verification: 'pass' } as const;
  const [cell] = cellsOf([
    item(1, { result: result({ ...verified, opinions_judged: 2, opinions_passed: 0 }) }),
    item(2, { result: result({ opinions_judged: 2, opinions_passed: 1 }) }),
    item(3, { result: result({ verification: 'fail', opinions_judged: 1, opinions_passed: 1 }) }),
  ]);
  expect(cell).toMatchObject({
    ...{ passed: 2, judged: 3, checked: 2, first_try: 2 },
    figures: { opinions_judged: { runs: 3 }, opinions_passed: { median: 1, runs: 3 } },
  });
  expect(cellsOf([item(1, { result: result({}) })])[0]?.figures).not.toHaveProperty('opinions_judged');
});

it('counts as passed only whole answers that no check refutes', () => {
  const [group] = cellsOf([
    item(1, { result: result({ outcome: { kind: 'announced_work_did_none' }, status: 'partial' }) }),
    item(2, { result: result({ outcome: { kind: 'answered_cut_off' }, status: 'partial' }) }),
    item(3, {
      result: result({ outcome: { kind: 'answered_checks_failed', checks: { failed: 1, total: 3 } } }),
    }),
    item(4, { result: result({ outcome: { kind: 'answered' } }) }),
  ]);
  expect(group).toMatchObject({ done: 4, passed: 1, answers: 2, agreeing: 2 });
});

it('reads the outcome of a result that was stored before outcomes were', () => {
  const kindOf = (change: Partial<ExperimentResult>) => outcomeOfResult(result(change)).kind;
  expect(kindOf({})).toBe('answered');
  expect(kindOf({ cycles: 3 })).toBe('cycles_done');
  expect(kindOf({ verification: 'pass' })).toBe('answered');
  expect(kindOf({ verification: 'partial_pass' })).toBe('answered_checks_failed');
  expect(kindOf({ termination_reason: 'stall' })).toBe('stall');
});

it('merges equal sets of options whatever the order of their names', () => {
  const groups = cellsOf([
    item(1, { options: { top_p: 1, top_k: 2 } }),
    item(2, { options: { top_k: 2, top_p: 1 } }),
  ]);
  expect(groups).toHaveLength(1);
});

it('leaves runs that a person stopped or that could not start out of the pass rate', () => {
  const [cell] = cellsOf([
    item(1, { result: result({}) }),
    item(2, { result: result({ outcome: { kind: 'stopped' }, status: 'cancelled' }) }),
    item(3, { status: 'failed', error: { code: 'x', message: 'No.' } }),
  ]);
  expect(cell).toMatchObject({ runs: 3, done: 2, failed: 1, stopped: 1, passed: 1, judged: 1 });
});

it('leaves runs that a person stopped out of every figure, but counts how they ended', () => {
  const stopped = {
    outcome: { kind: 'stopped' },
    status: 'cancelled',
    calls_by_format: { hermes: 1 },
  } as const;
  const [cell] = cellsOf([
    item(1, { result: result({ seconds: 8, tokens_out: 80, calls_by_format: { hermes: 2 } }) }),
    item(2, { result: result({ ...stopped, seconds: 1, tokens_out: 1, tokens_estimated: 1 }) }),
    item(3, { result: result({ ...stopped, seconds: 2, tokens_out: 2 }) }),
  ]);
  expect(cell).toMatchObject({
    ...{ judged: 1, stopped: 2, endings: { answered: 1, stopped: 2 } },
    figures: { seconds: { median: 8, runs: 1 }, tokens_out: { median: 80, runs: 1 } },
    ...{ calls_by_format: { hermes: 2 }, tokens_estimated: 0 },
  });
});

it('counts the cases with answers, so that answers which all differ are recognized', () => {
  const of = (position: number, id: string, output: string) =>
    item(position, { case: id, result: result({ output }) });
  const [cell] = cellsOf([
    ...[of(1, 'a', '1'), of(2, 'a', '2'), of(3, 'b', '1'), of(4, 'b', '2')],
    item(5, { case: 'c', result: result({ outcome: { kind: 'stall' } }) }),
  ]);
  expect(cell).toMatchObject({ answers: 4, agreeing: 2, answered: 2 });
});

it('counts the cases behind a pass rate, without those that have no judged run', () => {
  const of = (position: number, id: string, outcome: 'answered' | 'stall' | 'stopped') =>
    item(position, { case: id, result: result({ outcome: { kind: outcome } }) });
  const [cell] = cellsOf([
    ...[of(1, 'a', 'answered'), of(2, 'a', 'stall'), of(3, 'b', 'answered'), of(4, 'c', 'stopped')],
    item(5, { case: 'd', status: 'waiting' }),
  ]);
  expect(cell).toMatchObject({ judged: 3, cases: 2, cases_missing: 2 });
  expect(cellsOf([item(1, { result: result({}) })])[0]).not.toHaveProperty('cases');
});

it('leaves runs that ended before the first reply out of every figure, with the reason', () => {
  const gone = result({
    ...{ outcome: { kind: 'error' }, status: 'failed', message: 'Model "alpha" is missing.' },
    ...{ seconds: 0, tokens_out: 0, model_calls: 0, model_replies: 0, ollama_version: '0.9', output: '' },
  });
  const unreachable = { ...gone, model_calls: 4, message: 'Cannot connect to Ollama.' };
  const items = [
    item(1, { result: gone }),
    item(2, { result: unreachable }),
    item(3, { result: gone }),
    item(4, { result: result({ seconds: 8, model_replies: 1, digest: 'a' }) }),
    item(5, { status: 'failed', error: { code: 'x', message: 'Cannot connect to Ollama.' } }),
  ];
  const [cell] = cellsOf(items);
  expect(cell).toMatchObject({
    ...{ runs: 5, done: 4, failed: 1, not_run: 3, stopped: 0, passed: 1, judged: 1, answers: 1 },
    not_run_reasons: [
      { message: 'Model "alpha" is missing.', runs: 2 },
      { message: 'Cannot connect to Ollama.', runs: 2 },
    ],
    endings: { answered: 1 },
    figures: { seconds: { median: 8, runs: 1 } },
    provenance: [{ digest: 'a' }],
    pass_k: [{ k: 1, pass_at_k: 1 }],
  });
  expect(verdictsOf(items)).toEqual([{ model: 'alpha', passed: 1, judged: 1 }]);
  expect(cellsOf([item(1, { result: gone })])[0]).not.toHaveProperty('rate');
});

it('judges an error after the first reply, and a timeout, as a failed run', () => {
  const late = result({ outcome: { kind: 'error' }, model_calls: 2, model_replies: 1 });
  const slow = result({ outcome: { kind: 'timeout' }, model_calls: 1, model_replies: 0 });
  const silent = result({ outcome: { kind: 'context_full' }, model_calls: 1, model_replies: 0 });
  const [cell] = cellsOf([late, slow, silent].map((each, index) => item(index + 1, { result: each })));
  expect(cell).toMatchObject({ not_run: 0, passed: 0, judged: 3 });
});

it('reads from the calls of an older result whether it ran', () => {
  expect(didRun(result({ termination_reason: 'error', model_calls: 0 }))).toBe(false);
  expect(didRun(result({ termination_reason: 'error', model_calls: 2 }))).toBe(true);
});

it('counts first tries, and lists each version of the model and its server once', () => {
  const [cell] = cellsOf([
    item(1, { result: result({ attempts: 1, digest: 'a', ollama_version: '0.9' }) }),
    item(2, { result: result({ attempts: 2, digest: 'a', ollama_version: '0.9' }) }),
    item(3, { result: result({ attempts: 1, digest: 'b', ollama_version: '0.9' }) }),
    item(4, { result: result({}) }),
  ]);
  expect(cell).toMatchObject({ passed: 4, first_try: 3 });
  expect(cell?.provenance).toEqual([
    { ollama_version: '0.9', digest: 'a' },
    { ollama_version: '0.9', digest: 'b' },
  ]);
});

it('averages pass@k and pass^k over the cases, and compares answers within a case', () => {
  const failed = { outcome: { kind: 'stall' as const } };
  const of = (position: number, id: string, change: Partial<ExperimentResult>) =>
    item(position, { case: id, result: result(change) });
  const [cell] = cellsOf([
    ...[of(1, 'a', { output: 'x' }), of(2, 'a', { output: 'x' }), of(3, 'a', { output: 'y' })],
    ...[of(4, 'b', { output: 'z' }), of(5, 'b', failed)],
  ]);
  expect(cell).toMatchObject({ passed: 4, judged: 5, answers: 4, agreeing: 3 });
  expect(cell?.pass_k).toEqual([
    { k: 1, pass_at_k: 0.75, pass_hat_k: 0.75 },
    { k: 2, pass_at_k: 1, pass_hat_k: 0.5 },
  ]);
});

it('compares two cells by their runs with the same seed and repeat', () => {
  const passed = result({});
  const failed = result({ outcome: { kind: 'stall' } });
  const of = (think: boolean, seed: number, own?: ExperimentResult) =>
    item(seed, { factors: { think }, seed, repeat: 1, run_id: `${think}-${seed}`, result: own });
  const items = [
    ...[of(false, 1, passed), of(false, 2, failed), of(false, 3, failed), of(false, 4, failed), of(false, 5)],
    ...[
      of(true, 1, passed),
      of(true, 2, passed),
      of(true, 3, passed),
      of(true, 4, failed),
      of(true, 5, passed),
    ],
  ];
  const reply = comparePairs(items, 2, 1);
  expect(reply).toMatchObject({ a: 2, b: 1, both: 1, only_a: 2, only_b: 0, neither: 1, p_value: 0.5 });
  expect(reply.difference?.value).toBe(0.5);
  expect(reply.pairs.only_a).toEqual([
    { a: 'true-2', b: 'false-2' },
    { a: 'true-3', b: 'false-3' },
  ]);
  expect(comparePairs([of(false, 1), of(true, 1)], 1, 2)).not.toHaveProperty('p_value');
  expect(() => comparePairs(items, 1, 3)).toThrow(/no cell 3; the experiment has 2/);
  expect(() => comparePairs(items, 2, 2)).toThrow('Cell 2 cannot be compared with itself.');
});

it('counts the cases behind the pairs of two cells', () => {
  const runs = [true, false].flatMap((think) =>
    [1, 2, 3, 4].map((number): ExperimentItem => {
      const passed = think || number > 2;
      return {
        ...{ position: number, model: 'a', options: {}, factors: { think }, status: 'done' },
        ...{ case: number > 2 ? 'two' : 'one', repeat: number % 2, run_id: `${think}-${number}` },
        result: result(passed ? {} : { termination_reason: 'stall' }),
      };
    }),
  );
  // One case passed in each repeat, and in none without thinking: two pairs, of one case.
  expect(comparePairs(runs, 1, 2)).toMatchObject({ both: 2, only_a: 2, cases: 2 });
  expect(comparePairs([...runs.slice(0, 2), ...runs.slice(4, 6)], 1, 2)).toMatchObject({
    only_a: 2,
    cases: 1,
  });
  const plain = runs.map(({ case: _, ...item }) => item);
  expect(comparePairs(plain, 1, 2)).not.toHaveProperty('cases');
});

it('puts every item into exactly one cell, and its counts add up', () => {
  const kind = fc.constantFrom('answered', 'stall', 'stopped', 'error', 'answered_cut_off' as const);
  const anyItem = fc.record({ think: fc.boolean(), model: fc.constantFrom('a', 'b'), kind: fc.option(kind) });
  fc.assert(
    fc.property(fc.array(anyItem, { maxLength: 40 }), (drawn) => {
      const items = drawn.map(({ think, model, kind: ending }, index) =>
        item(index + 1, {
          ...{ model, factors: { think } },
          ...(ending === null ? {} : { result: result({ outcome: { kind: ending } }) }),
        }),
      );
      const cells = cellsOf(items);
      expect(cells.reduce((sum, { runs }) => sum + runs, 0)).toBe(items.length);
      for (const { cell, done, judged, stopped, passed, first_try, rate, endings } of cells) {
        expect(judged + stopped).toBe(done);
        expect(Object.values(endings).reduce((sum, count) => sum + count, 0)).toBe(done);
        expect(first_try).toBeLessThanOrEqual(passed);
        if (rate) expect(rate.low).toBeLessThanOrEqual(rate.value);
        expect(itemsOfCell(items, cell).every(({ model }) => model === cells[cell - 1]?.model)).toBe(true);
      }
    }),
  );
});
