import type { Agreement } from '../compare/agreement.ts';
import type { Comparison } from '../compare/compare.ts';
import type { Conditions, Figures } from '../compare/figures.ts';
import type { SettingChange } from '../compare/settings.ts';
import type { FactorValues } from './experiment-factors.ts';
import type { RunSummary } from './run-summary.ts';

/** One side of a comparison. */
export interface ComparedRun {
  run: RunSummary;
  figures: Figures;
  conditions: Conditions;
}

/** `GET /api/compare?a=ID&b=ID` */
export interface CompareReply {
  a: ComparedRun;
  b: ComparedRun;
  /** Settings that differ: `before` in `a`, `after` in `b`. */
  settings: SettingChange[];
  comparison: Comparison;
}

/** Runs of an experiment with identical settings, and how far they agree. */
export interface AgreementGroup {
  model: string;
  options: Record<string, number | string | boolean>;
  factors?: FactorValues;
  seed?: number;
  /** In the order of the indexes in `agreement`. */
  runs: { run_id: string; repeat: number }[];
  agreement: Agreement;
}

/** `GET /api/experiments/{id}/agreement` */
export interface AgreementReply {
  groups: AgreementGroup[];
}
