import type { ExperimentResult, NotedItem } from '../api/experiment.ts';
import { hasPassed, isFirstTry } from '../api/result-outcome.ts';
import { csvText } from '../util/csv.ts';
import type { JsonValue } from '../util/json.ts';

type Cell = string | number | undefined;

const RESULT_COLUMNS: readonly Exclude<keyof ExperimentResult, 'outcome'>[] = [
  'status',
  'termination_reason',
  'seconds',
  'iterations',
  'turns',
  'cycles',
  'model_calls',
  'model_replies',
  'num_ctx',
  'num_predict',
  'tool_calls',
  'failed_tool_calls',
  'tokens_in',
  'tokens_out',
  'tokens_estimated',
  'cost_usd',
  'memories',
  'messages',
  'novelty',
  'novelty_measure',
  'files_written',
  'attempts',
  'calls_native',
  'calls_json',
  'calls_xml',
  'repairs',
  'coercions',
  'refused_calls',
  'malformed_replies',
  'nudges',
  'retries',
  'cut_offs',
  'overflows',
  'prompt_tokens_estimated',
  'prompt_tokens_measured',
  'tokens_per_second',
  'ollama_version',
  'digest',
  'quantization',
  'parameter_size',
  'template_hash',
  'gpu_share',
  'loupe_version',
  'suite_hash',
  'think',
  'verification',
  'opinions_judged',
  'opinions_passed',
  // As JSON.
  'calls_by_format',
  'options_sent',
  'machine',
  'message',
  'output',
];

/** The results as CSV (RFC 4180): a header line, then one line per run. Each option and factor has its own column. */
export function resultsCsv(items: readonly NotedItem[]): string {
  const options = [...new Set(items.flatMap((item) => Object.keys(item.options)))].sort();
  const factors = [...new Set(items.flatMap((item) => Object.keys(item.factors ?? {})))].sort();
  const header = [
    ...['position', 'run_id', 'model', 'case', 'seed', 'repeat', 'state'],
    ...options.map((name) => `option_${name}`),
    ...factors.map((name) => `factor_${name}`),
    ...RESULT_COLUMNS,
    ...['passed', 'first_try', 'outcome', 'checks_failed', 'checks_total'],
    ...['error', 'score', 'note'],
  ];
  const rows = items.map((item): Cell[] => [
    ...[item.position, item.run_id, item.model, item.case, item.seed, item.repeat, item.status],
    ...options.map((name) => valueCell(Object.hasOwn(item.options, name) ? item.options[name] : undefined)),
    ...factors.map((name) => valueCell(item.factors?.[name])),
    ...RESULT_COLUMNS.map((column) => valueCell(item.result?.[column])),
    ...verdictCells(item.result),
    ...outcomeCells(item.result?.outcome),
    ...[item.error?.message, item.score, item.note],
  ]);
  return csvText([header, ...rows]);
}

/** Whether the run passed, and whether it did so in its first attempt. */
function verdictCells(result: ExperimentResult | undefined): Cell[] {
  const passed = result && hasPassed(result);
  if (!result || passed === undefined) return [undefined, undefined];
  return [valueCell(passed), valueCell(passed && isFirstTry(result))];
}

function outcomeCells(outcome: ExperimentResult['outcome']): Cell[] {
  return [outcome?.kind, outcome?.checks?.failed, outcome?.checks?.total];
}

/**
 * Numbers stay numbers, so that spreadsheets can calculate with them; a negative number is not a formula. Lists and
 * objects are written as JSON.
 */
function valueCell(value: JsonValue | undefined): Cell {
  return typeof value === 'number' || typeof value === 'string' || value === undefined
    ? value
    : JSON.stringify(value);
}
