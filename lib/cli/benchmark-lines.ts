import type { BenchmarkReply } from '../api/benchmark.ts';
import { casesWords, cellName, gainWords, pWords, rateWords } from '../browser/words/benchmark-words.ts';
import { formatDuration } from '../browser/words/format.ts';
import { plainVisibleLine } from '../browser/words/visible-text.ts';
import { plural } from '../util/numbers.ts';
import { tableLines } from './table.ts';

/** The progress of a benchmark, as one line. */
export function benchmarkProgress({ benchmark, seconds_left: left }: BenchmarkReply): string {
  const { done, total, status } = benchmark;
  const rest = left === undefined ? '' : `, about ${formatDuration(left * 1000)} left`;
  return status === 'waiting' ? 'Waiting.' : `${done} of ${total} cases${rest}`;
}

/**
 * The figures of a benchmark as a table, and the problem that stopped it.
 *
 * @param columns the width of the terminal; default: no limit
 */
export function benchmarkLines({ benchmark, cells }: BenchmarkReply, columns?: number): string[] {
  const rows = cells.map((cell) => [
    cell.model,
    cellName(cell),
    casesWords(cell),
    rateWords(cell.native),
    rateWords(cell.read),
    gainWords(cell.gain),
    cell.gain ? pWords(cell.gain.p) : '–',
  ]);
  const head = ['model', 'category', 'cases', 'native alone', 'with Loupe', 'gain in points', 'p'];
  const failed = cells
    .filter(({ category }) => category !== undefined)
    .reduce((sum, each) => sum + each.failed, 0);
  const { problem } = benchmark;
  return [
    ...tableLines(rows, { head, columns }),
    ...(failed > 0 ? [`${plural(failed, 'case')} without a reply: not judged.`] : []),
    ...(problem ? [plainVisibleLine(`Stopped: ${problem.message}`)] : []),
    ...(problem?.hint ? [plainVisibleLine(problem.hint)] : []),
  ];
}
