import type { ExperimentItem, ExperimentResult } from '../api/experiment.ts';

type Cell = string | number | undefined;

const RESULT_COLUMNS: readonly (keyof ExperimentResult)[] = [
  'status',
  'termination_reason',
  'seconds',
  'iterations',
  'cycles',
  'model_calls',
  'tool_calls',
  'failed_tool_calls',
  'tokens_in',
  'tokens_out',
  'memories',
  'messages',
  'novelty',
  'files_written',
  'verification',
  'message',
  'output',
];

/** The results as CSV (RFC 4180), one line per run, with a line of headings. Options stand in one column each. */
export function resultsCsv(items: readonly ExperimentItem[]): string {
  const options = [...new Set(items.flatMap((item) => Object.keys(item.options)))].sort();
  const header = [
    ...['position', 'run_id', 'model', 'seed', 'repeat', 'state'],
    ...options.map((name) => `option_${name}`),
    ...RESULT_COLUMNS,
    'error',
  ];
  const rows = items.map((item): Cell[] => [
    ...[item.position, item.run_id, item.model, item.seed, item.repeat, item.status],
    ...options.map((name) => optionCell(Object.hasOwn(item.options, name) ? item.options[name] : undefined)),
    ...RESULT_COLUMNS.map((column) => item.result?.[column]),
    item.error?.message,
  ]);
  return [header, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/** Numbers stay numbers: a spreadsheet counts with them, and one below 0 is no formula. */
function optionCell(value: string | number | boolean | undefined): Cell {
  return typeof value === 'boolean' ? String(value) : value;
}

/**
 * One value of a CSV line. Texts that a spreadsheet would run as a formula begin with an apostrophe, since they come from
 * models.
 */
export function csvCell(value: Cell): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
