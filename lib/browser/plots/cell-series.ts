import type { ExperimentCell } from '../../api/experiment-cells.ts';
import { wilson } from '../../statistics/wilson.ts';

/** A pass rate with its interval, and the runs behind it. */
interface Rate {
  readonly low: number;
  readonly value: number;
  readonly high: number;
  readonly passed: number;
  readonly judged: number;
}

/** The pass rate of each model at each value of a factor. */
export interface FactorResponse {
  /** In ascending order. */
  readonly values: readonly number[];
  /** One entry per value; missing where no run has passed or failed. */
  readonly models: readonly { readonly model: string; readonly rates: readonly (Rate | undefined)[] }[];
  /** Whether a rate combines several cells that differ in other factors. */
  readonly pooled: boolean;
}

/** The options and factors with two or more values, all of which are numbers. Pure. */
export function numericFactors(cells: readonly ExperimentCell[]): string[] {
  const values = new Map<string, Set<unknown>>();
  for (const cell of cells) {
    for (const [name, value] of Object.entries(variationOf(cell))) {
      const known = values.get(name) ?? new Set();
      values.set(name, known.add(value));
    }
  }
  return [...values].flatMap(([name, set]) =>
    set.size > 1 && [...set].every((value) => typeof value === 'number') ? [name] : [],
  );
}

/** How the pass rate of each model depends on a factor, over all values of the others. Pure. */
export function factorResponse(cells: readonly ExperimentCell[], factor: string): FactorResponse {
  const counts = new Map<string, Map<number, { passed: number; judged: number }>>();
  let pooled = false;
  for (const cell of cells) {
    const value = variationOf(cell)[factor];
    if (typeof value !== 'number') continue;
    const model = counts.get(cell.model) ?? new Map<number, { passed: number; judged: number }>();
    pooled ||= model.has(value);
    const { passed = 0, judged = 0 } = model.get(value) ?? {};
    model.set(value, { passed: passed + cell.passed, judged: judged + cell.judged });
    counts.set(cell.model, model);
  }
  const values = [...new Set([...counts.values()].flatMap((model) => [...model.keys()]))].sort(
    (a, b) => a - b,
  );
  return {
    values,
    pooled,
    models: [...counts].map(([model, own]) => ({
      model,
      rates: values.map((value) => {
        const { passed = 0, judged = 0 } = own.get(value) ?? {};
        return judged === 0
          ? undefined
          : { ...wilson(passed, judged), value: passed / judged, passed, judged };
      }),
    })),
  };
}

function variationOf({ options, factors = {} }: ExperimentCell): Readonly<Record<string, unknown>> {
  return { ...options, ...factors };
}
