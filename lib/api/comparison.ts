import type { Agreement } from '../compare/agreement.ts';
import type { Comparison } from '../compare/compare.ts';
import type { Overview } from '../compare/overview.ts';
import type { SettingDifference } from '../compare/settings.ts';
import type { OptionValue } from '../events/setting-values.ts';
import type { FactorValues } from './experiment-factors.ts';
import type { RunSummary } from './run-summary.ts';

/** One of several runs that are compared. */
export interface ComparedRun extends Overview {
  run: RunSummary;
}

/** `GET /api/compare/runs?run=ID&run=ID` */
export interface CompareRunsReply {
  /** In the order of the request. */
  runs: ComparedRun[];
  /** Settings that differ between the runs. */
  settings: SettingDifference[];
}

/** `GET /api/compare?a=ID&b=ID` */
export interface CompareReply {
  a: RunSummary;
  b: RunSummary;
  comparison: Comparison;
}

/** Runs of an experiment with identical settings, and how far they agree. */
export interface AgreementGroup {
  model: string;
  options: Record<string, OptionValue>;
  factors?: FactorValues;
  /** ID of the case; missing without a suite. */
  case?: string;
  seed?: number;
  /** In the order of the indexes in `agreement`. */
  runs: { run_id: string; repeat: number }[];
  /** How many more ended runs the group has; missing if none. */
  runs_left_out?: number;
  agreement: Agreement;
}

/** `GET /api/experiments/{id}/agreement` */
export interface AgreementReply {
  groups: AgreementGroup[];
  /** How many more groups have two or more ended runs; missing if none. */
  groups_left_out?: number;
}
