import type { ExperimentRequest } from '../api/experiment.ts';

/** The form of an experiment as it is filled in. Lists are text: `0, 0.7`, `1-5 9`. */
export interface ExperimentDraft {
  name: string;
  mode: 'task' | 'explore';
  task: string;
  models: readonly string[];
  temperatures: string;
  seeds: string;
  repeats: string;
  cycles: string;
  diversity: boolean;
}

/** Runs of one experiment; the server decides, this is what the form says about it. */
export const MAX_RUNS = 1000;

export const emptyExperiment: ExperimentDraft = {
  name: '',
  mode: 'explore',
  task: '',
  models: [],
  temperatures: '',
  seeds: '',
  repeats: '',
  cycles: '',
  diversity: false,
};

export type ExperimentProblems = Partial<Record<keyof ExperimentDraft, string>>;

/** What a draft asks the server for, with the number of runs it makes, or what is wrong with it. Pure. */
export function experimentOf(
  draft: ExperimentDraft,
):
  | { ok: true; request: ExperimentRequest; runs: number }
  | { ok: false; problems: ExperimentProblems; runs: number } {
  const problems: ExperimentProblems = {};
  const temperatures = numbersOf(draft.temperatures, { max: 5 });
  const seeds = numbersOf(draft.seeds, { max: 2 ** 31 - 1, whole: true });
  const repeats = oneNumber(draft.repeats, 200);
  const cycles = oneNumber(draft.cycles, 1000);
  if (draft.name.trim() === '') problems.name = 'Give it a name.';
  if (draft.models.length === 0) problems.models = 'Choose at least one model.';
  if (draft.mode === 'task' && draft.task.trim() === '') problems.task = 'Say what each run should do.';
  if (!temperatures) problems.temperatures = 'Numbers from 0 to 5, such as 0, 0.7.';
  if (!seeds) problems.seeds = 'Whole numbers, such as 1-5 or 7, 42.';
  if (repeats === null) problems.repeats = 'A whole number from 1 to 200.';
  if (cycles === null) problems.cycles = 'A whole number from 1 to 1,000.';
  const runs =
    draft.models.length *
    Math.max(1, temperatures?.length ?? 1) *
    Math.max(1, seeds?.length ?? 1) *
    (repeats ?? 1);
  if (runs > MAX_RUNS) {
    problems.repeats = `These are ${runs} runs; at most ${MAX_RUNS} are possible.`;
  }
  if (Object.keys(problems).length > 0) return { ok: false, problems, runs };
  return {
    ok: true,
    runs,
    request: {
      name: draft.name.trim(),
      mode: draft.mode,
      models: [...draft.models],
      options:
        temperatures && temperatures.length > 0
          ? temperatures.map((temperature) => ({ temperature }))
          : undefined,
      seeds: seeds ?? undefined,
      repeats: repeats ?? undefined,
      ...(draft.mode === 'explore'
        ? {
            cycles: cycles ?? undefined,
            settings: draft.diversity ? { diversity: {} } : undefined,
          }
        : { task: draft.task.trim() }),
    },
  };
}

const MOST = 200;

/** `1-3, 7` as numbers; `undefined` when something in it is none. */
function numbersOf(text: string, limits: { max: number; whole?: boolean }): number[] | undefined {
  const numbers: number[] = [];
  for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
    const range = /^(\d+)-(\d+)$/.exec(part);
    const from = Number(range?.[1] ?? part);
    const to = Number(range?.[2] ?? part);
    const isFit = Number.isFinite(from) && from >= 0 && to <= limits.max && to >= from && to - from < MOST;
    if (!isFit || (limits.whole && !Number.isInteger(from))) return undefined;
    if (range && limits.whole) for (let value = from; value <= to; value += 1) numbers.push(value);
    else if (range) return undefined;
    else numbers.push(from);
    if (numbers.length > MOST) return undefined;
  }
  return [...new Set(numbers)];
}

/** A count from 1; `undefined` when left empty, `null` when it is none. */
function oneNumber(text: string, max: number): number | undefined | null {
  if (text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= max ? value : null;
}
