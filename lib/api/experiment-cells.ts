import type { OutcomeKind } from '../events/termination.ts';
import type { ExperimentItem, ExperimentResult } from './experiment.ts';

/** The figures of a run that a cell summarizes. */
export const CELL_FIGURES = [
  'seconds',
  'iterations',
  'attempts',
  'model_calls',
  'tool_calls',
  'failed_tool_calls',
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
  'tokens_in',
  'tokens_out',
  'tokens_per_second',
  'cost_usd',
  'opinions_judged',
  'opinions_passed',
] as const satisfies readonly (keyof ExperimentResult)[];
export type CellFigure = (typeof CELL_FIGURES)[number];

/** A figure over the runs of a cell that passed or failed and have it. */
export interface FigureSummary {
  mean: number;
  median: number;
  /** The quartiles. */
  low: number;
  high: number;
  /** How many runs have it. */
  runs: number;
}

/** Why runs did not run, and how many. */
export interface NotRunReason {
  message: string;
  runs: number;
}

/** How likely one of `k` runs passes (pass@k), and all of them (pass^k). */
export interface PassK {
  k: number;
  pass_at_k: number;
  pass_hat_k: number;
}

/** The provenance of a result: the model as served by Ollama, Loupe, and the machine. */
export const PROVENANCE_FIELDS = [
  'ollama_version',
  'digest',
  'quantization',
  'parameter_size',
  'template_hash',
  'gpu_share',
  'options_sent',
  'loupe_version',
  'suite_hash',
  'machine',
] as const satisfies readonly (keyof ExperimentResult)[];
export type Provenance = Partial<Pick<ExperimentResult, (typeof PROVENANCE_FIELDS)[number]>>;

/** The runs of an experiment with the same model, options and factors, over all seeds and repeats. */
export interface ExperimentCell extends Pick<ExperimentItem, 'model' | 'options' | 'factors'> {
  /** From 1, in the order of their first runs. */
  cell: number;
  runs: number;
  /** Runs with a result. */
  done: number;
  /** Runs that could not be created. */
  failed: number;
  /** Runs with a result that an error ended before the model's first reply; only `done` and `runs` count them. */
  not_run: number;
  /** Why runs could not be created or did not run, the most frequent reason first. */
  not_run_reasons: NotRunReason[];
  /** Runs that a person stopped; they count neither as passed nor as failed, and are in no figure. */
  stopped: number;
  /** Runs that passed, and runs that passed or failed. */
  passed: number;
  judged: number;
  /** The cases of the judged runs; missing without a suite. Fewer than `judged` if cases were repeated. */
  cases?: number;
  /** The cases of the other runs, which the pass rate says nothing about; missing without a suite. */
  cases_missing?: number;
  /** Runs that passed in their first attempt. */
  first_try: number;
  /** Runs with checks. */
  checked: number;
  /** The pass rate with its 95% interval; missing before a run has passed or failed. */
  rate?: { value: number; low: number; high: number };
  pass_k: PassK[];
  /**
   * Runs with a complete answer, regardless of checks, and the largest number of answers that are equal except for
   * whitespace in their first 2000 characters; with a suite, summed over the cases.
   */
  answers: number;
  agreeing: number;
  /** Cases with an answer; at most 1 without a suite. If `agreeing` is no larger, all answers to each case differ. */
  answered: number;
  endings: Partial<Record<OutcomeKind, number>>;
  /** Tool calls by the format in which they were read, over the judged runs. */
  calls_by_format: Record<string, number>;
  figures: Partial<Record<CellFigure, FigureSummary>>;
  /** How many of all tokens of the judged runs are estimates. */
  tokens_estimated: number;
  /** Window and reply limit as the first run sent them. */
  sent?: Pick<ExperimentResult, 'num_ctx' | 'num_predict'>;
  /** More than one if Ollama or the model changed between runs. */
  provenance: Provenance[];
}

/** `GET /api/experiments/{id}/cells` */
export interface CellsReply {
  cells: ExperimentCell[];
}

/** Two runs with the same case, seed and repeat, one of each cell. */
export interface RunPair {
  a: string;
  b: string;
}

/** `GET /api/experiments/{id}/pairs?a=CELL&b=CELL` */
export interface PairsReply {
  a: number;
  b: number;
  both: number;
  only_a: number;
  only_b: number;
  neither: number;
  /** The cases of these pairs; missing without a suite. Fewer than the pairs if cases were repeated. */
  cases?: number;
  /** The pass rate of `a` minus that of `b`, with its 95% interval; missing without pairs. */
  difference?: { value: number; low: number; high: number };
  /** Exact McNemar test, two-sided; missing without pairs. */
  p_value?: number;
  /** The first pairs in which only one run passed. */
  pairs: { only_a: RunPair[]; only_b: RunPair[] };
}
