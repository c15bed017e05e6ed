import type { BenchmarkCell, BenchmarkResult } from '../api/benchmark.ts';
import type { Category } from '../api/benchmark-categories.ts';
import type { ResultFilter } from '../api/benchmark-filter.ts';
import { mcnemar, pairedDifference } from '../statistics/paired.ts';
import { wilson } from '../statistics/wilson.ts';

/** The figures by model and category, each model's total last; in the order of the benchmark. */
export function benchmarkCells(results: readonly BenchmarkResult[]): BenchmarkCell[] {
  const byModel = Map.groupBy(results, ({ model }) => model);
  return [...byModel].flatMap(([model, own]) => {
    const byCategory = [...Map.groupBy(own, ({ category }) => category)];
    const cells = byCategory.map(([category, each]) => cellOf(each, { model, category }));
    return byCategory.length > 1 ? [...cells, cellOf(own, { model })] : cells;
  });
}

function cellOf(
  results: readonly BenchmarkResult[],
  place: { model: string; category?: Category },
): BenchmarkCell {
  const judged = results.flatMap(({ native, read }) =>
    native && read ? [{ native: native.right, read: read.right }] : [],
  );
  const base = { ...place, judged: judged.length, failed: results.length - judged.length };
  if (judged.length === 0) return base;
  const countOf = ({ native, read }: { native: boolean; read: boolean }) =>
    judged.filter((each) => each.native === native && each.read === read).length;
  const both = countOf({ native: true, read: true });
  const onlyRead = countOf({ native: false, read: true });
  const onlyNative = countOf({ native: true, read: false });
  const neither = countOf({ native: false, read: false });
  const pairs = { both, onlyFirst: onlyRead, onlySecond: onlyNative, neither };
  const rateOf = (right: number) => ({
    right,
    share: right / judged.length,
    ...wilson(right, judged.length),
  });
  return {
    ...base,
    native: rateOf(both + onlyNative),
    read: rateOf(both + onlyRead),
    gain: { ...pairedDifference(pairs), p: mcnemar(pairs), only_native: onlyNative, only_read: onlyRead },
  };
}

/** Whether a result is in a list. */
export function fitsFilter({ native, read }: BenchmarkResult, filter: ResultFilter): boolean {
  switch (filter) {
    case 'gained':
      return native?.right === false && read?.right === true;
    case 'lost':
      return native?.right === true && read?.right === false;
    case 'wrong':
      return read?.right === false;
    case 'failed':
      return read === undefined;
    default:
      return true;
  }
}
