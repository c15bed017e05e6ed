import type { BenchmarkResult } from '../api/benchmark.ts';
import { csvText } from '../util/csv.ts';

const COLUMNS = [
  ...['position', 'model', 'category', 'case_id', 'native_right', 'read_right', 'layer', 'format'],
  ...['native_reason', 'read_reason', 'seconds', 'prompt_tokens', 'reply_tokens', 'error'],
];

/** The results as CSV (RFC 4180), a line per case and model. Rates are means of the columns with 1 and 0. */
export function benchmarkCsv(results: readonly BenchmarkResult[]): string {
  const rows = results.map((result) => {
    const { position, model, category, case_id, native, read, layer, format, error } = result;
    return [
      ...[position, model, category, case_id],
      ...[native && Number(native.right), read && Number(read.right), layer, format],
      native?.right === false ? native.reason : undefined,
      read?.right === false ? read.reason : undefined,
      ...[result.duration_ms / 1000, result.prompt_tokens, result.reply_tokens, error?.message],
    ];
  });
  return csvText([COLUMNS, ...rows]);
}
