import { expect, it } from 'vitest';
import type { ExperimentItem } from '../api/experiment.ts';
import { cellsOf } from '../experiments/cells.ts';
import { cellLines, missedLines } from './experiment-lines.ts';

function cellWith(passed: number, judged: number) {
  return cellsOf(
    Array.from(
      { length: judged },
      (_, index): ExperimentItem => ({
        ...{ position: index + 1, model: 'm', options: {}, repeat: index + 1, status: 'done' },
        result: {
          ...{ status: 'completed', termination_reason: 'final_answer', message: '', output: '' },
          ...{ seconds: 1, iterations: 1, cycles: 0, model_calls: 1, tool_calls: 0, failed_tool_calls: 0 },
          ...{ tokens_in: 1, tokens_out: 1, memories: 0, messages: 0, files_written: 0 },
          outcome: { kind: index < passed ? 'answered' : 'stall' },
        },
      }),
    ),
  );
}

it.each([
  [2, 3, 0.8, '66.67%, below 80%'],
  [2, 3, 0.6667, '66.667%, below 66.67%'],
  [999, 1000, 0.99901, '99.9%, below 99.901%'],
])('writes a rate of %i of %i below %d so that they differ', (passed, judged, failUnder, words) => {
  expect(missedLines(cellWith(passed, judged), failUnder)).toEqual([
    `Cell 1 (m) passed ${passed} of ${judged.toLocaleString('en')} runs: ${words}.`,
  ]);
});

it('misses no rate that reaches the threshold', () => {
  expect(missedLines(cellWith(7, 10), 0.7)).toEqual([]);
});

it('names the duration of a cell as a median', () => {
  const [head, row] = cellLines(cellWith(2, 3));
  expect(head).toContain('median duration');
  expect(row).toMatch(/2\/3 +67% +21% to 94% +1\.0 s +m$/);
});
