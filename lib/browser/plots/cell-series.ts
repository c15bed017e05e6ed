import type { ExperimentCell } from '../../api/experiment-cells.ts';
import { wilson } from '../../statistics/wilson.ts';

/** A pass rate with its interval, and the runs behind it. */
interface Rate {
  readonly low: number;
  readonly value: number;
  readonly high: number;
  readonly passed: number;
  readonly judged: number;
  /** Of the cell that has most; missing without a suite. */
  readonly cases?: number;
}

type Counts = Pick<Rate, 'passed' | 'judged' | 'cases'>;

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
  const counts = new Map<string, Map<number, Counts>>();
  let pooled = false;
  for (const cell of cells) {
    const value = variationOf(cell)[factor];
    if (typeof value !== 'number') continue;
    const model = counts.get(cell.model) ?? new Map<number, Counts>();
    pooled ||= model.has(value);
    const { passed, judged, cases = 0 } = model.get(value) ?? { passed: 0, judged: 0 };
    model.set(value, {
      passed: passed + cell.passed,
      judged: judged + cell.judged,
      ...(cell.cases === undefined ? {} : { cases: Math.max(cases, cell.cases) }),
    });
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
        const found = own.get(value);
        if (!found || found.judged === 0) return undefined;
        const { passed, judged } = found;
        return { ...wilson(passed, judged), value: passed / judged, ...found };
      }),
    })),
  };
}

function variationOf({ options, factors = {} }: ExperimentCell): Readonly<Record<string, unknown>> {
  return { ...options, ...factors };
}
