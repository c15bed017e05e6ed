import type { BenchmarkReply } from '../api/benchmark.ts';
import { cellName, gainWords, pWords, rateWords } from '../browser/words/benchmark-words.ts';
import { formatDuration } from '../browser/words/format.ts';
import { plainVisibleLine } from '../browser/words/visible-text.ts';
import { plural } from '../util/numbers.ts';

/** The progress of a benchmark, as one line. */
export function benchmarkProgress({ benchmark, seconds_left: left }: BenchmarkReply): string {
  const { done, total, status } = benchmark;
  const rest = left === undefined ? '' : `, about ${formatDuration(left * 1000)} left`;
  return status === 'waiting' ? 'Waiting.' : `${done} of ${total} cases${rest}`;
}

/** The figures of a benchmark as a table, and the problem that stopped it. */
export function benchmarkLines({ benchmark, cells }: BenchmarkReply): string[] {
  const rows = cells.map((cell) => [
    cell.model,
    cellName(cell),
    String(cell.judged),
    rateWords(cell.native),
    rateWords(cell.read),
    gainWords(cell.gain),
    cell.gain ? pWords(cell.gain.p) : '–',
  ]);
  const table = [
    ['model', 'category', 'cases', 'native alone', 'with Loupe', 'gain in points', 'p'],
    ...rows,
  ];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const failed = cells
    .filter(({ category }) => category !== undefined)
    .reduce((sum, each) => sum + each.failed, 0);
  const { problem } = benchmark;
  return [
    ...table.map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
    ...(failed > 0 ? [`${plural(failed, 'case')} without a reply: not judged.`] : []),
    ...(problem ? [`Stopped: ${problem.message}`] : []),
    ...(problem?.hint ? [problem.hint] : []),
  ].map(plainVisibleLine);
}
