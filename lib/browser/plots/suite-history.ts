import { sum } from 'd3-array';
import type { ExperimentSummary } from '../../api/experiment.ts';
import { wilson } from '../../statistics/wilson.ts';
import { fullName } from '../../util/model-name.ts';

/** The pass rate of a model in one experiment over a suite. */
export interface HistoryPoint {
  readonly experiment: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Its full name, so that experiments which named it with and without its tag are comparable. */
  readonly model: string;
  /** Hash of the version, and how many of its cases were run. */
  readonly hash: string;
  readonly cases: number;
  readonly passed: number;
  readonly judged: number;
  readonly low: number;
  readonly value: number;
  readonly high: number;
}

/** The results of the models in the experiments with a suite, oldest first. Pure. */
export function suiteHistory(experiments: readonly ExperimentSummary[], suiteId: string): HistoryPoint[] {
  return experiments
    .toSorted((a, b) => a.created_at - b.created_at)
    .flatMap(({ id, name, created_at: at, suite, verdicts = [] }) => {
      if (suite?.id !== suiteId) return [];
      const { hash, cases } = suite;
      return [...Map.groupBy(verdicts, ({ model }) => fullName(model))].map(([model, own]) => {
        const passed = sum(own, (verdict) => verdict.passed);
        const judged = sum(own, (verdict) => verdict.judged);
        return {
          ...{ experiment: id, name, at, model, hash, cases, passed, judged },
          ...{ ...wilson(passed, judged), value: passed / judged },
        };
      });
    });
}
