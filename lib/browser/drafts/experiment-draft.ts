import type { ExperimentMode, ExperimentRequest } from '../../api/experiment.ts';
import { kindFacts } from '../../events/modes.ts';

/** The form of an experiment as it is filled in. Lists are text: `0, 0.7`, `1-5 9`. */
export interface ExperimentDraft {
  name: string;
  mode: ExperimentMode;
  task: string;
  /** A folder that each task gets a copy of. */
  workspace: string;
  models: readonly string[];
  temperatures: string;
  /** Other model options, one a line with the values to try: `top_p: 0.9, 0.5`. */
  options: string;
  seeds: string;
  repeats: string;
  cycles: string;
  diversity: boolean;
}

/** Sets of model options of one experiment. */
const MAX_OPTION_SETS = 50;

/** Max runs of an experiment, as shown by the form; the server enforces it. */
export const MAX_RUNS = 1000;

export const emptyExperiment: ExperimentDraft = {
  name: '',
  mode: 'explore',
  task: '',
  workspace: '',
  models: [],
  temperatures: '',
  options: '',
  seeds: '',
  repeats: '',
  cycles: '',
  diversity: false,
};

export type ExperimentProblems = Partial<Record<keyof ExperimentDraft, string>>;

/** Reads a draft: the request and its number of runs, or the problems by field. Pure. */
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
  const { task, usesFiles, hasCycles } = kindFacts(draft.mode);
  if (task === 'required' && draft.task.trim() === '') problems.task = 'Say what each run should do.';
  const workspace = usesFiles ? draft.workspace.trim() : '';
  if (workspace !== '' && !/^(\/|[a-z]:[\\/])/i.test(workspace)) {
    problems.workspace = 'The whole path, from the root on.';
  }
  if (!temperatures) problems.temperatures = 'Numbers from 0 to 5, such as 0, 0.7.';
  if (!seeds) problems.seeds = 'Whole numbers, such as 1-5 or 7, 42.';
  if (repeats === null) problems.repeats = 'A whole number from 1 to 200.';
  if (cycles === null) problems.cycles = 'A whole number from 1 to 1,000.';
  const others = optionsOf(draft.options);
  if (!others) problems.options = 'One option a line, such as top_p: 0.9, 0.5.';
  else if (others.some((option) => option.name === 'seed')) problems.options = 'Seeds have their own field.';
  else if (temperatures?.length && others.some((option) => option.name === 'temperature')) {
    problems.options = 'Temperatures stand in their own field already.';
  }
  const sets = combinations([
    ...(temperatures?.length ? [{ name: 'temperature', values: temperatures }] : []),
    ...(others ?? []),
  ]);
  if (sets.length > MAX_OPTION_SETS) {
    problems.options = `These are ${sets.length} sets of options; at most ${MAX_OPTION_SETS} are possible.`;
  }
  const runs = draft.models.length * sets.length * Math.max(1, seeds?.length ?? 1) * (repeats ?? 1);
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
      options: sets.length === 1 && Object.keys(sets[0] ?? {}).length === 0 ? undefined : sets,
      seeds: seeds ?? undefined,
      repeats: repeats ?? undefined,
      ...(hasCycles
        ? {
            cycles: cycles ?? undefined,
            settings: draft.diversity ? { diversity: {} } : undefined,
          }
        : {}),
      ...(task === 'none' ? {} : { task: draft.task.trim() }),
      ...(workspace === '' ? {} : { workspace }),
    },
  };
}

type OptionValue = number | string | boolean;

/** A model option with the values to try. */
interface Varied {
  readonly name: string;
  readonly values: readonly OptionValue[];
}

/** Parses options, one per line; `undefined` if a line is invalid or an option is repeated. */
function optionsOf(text: string): Varied[] | undefined {
  const options: Varied[] = [];
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, name = '', list = ''] = /^\s*([a-z][a-z0-9_]*)\s*[:=]\s*(\S.*)$/.exec(line) ?? [];
    const values = list
      .split(',')
      .map((value) => value.trim())
      .filter(Boolean)
      .map(readValue);
    if (name === '' || values.length === 0 || options.some((option) => option.name === name))
      return undefined;
    options.push({ name, values: [...new Set(values)] });
  }
  return options;
}

function readValue(text: string): OptionValue {
  if (text === 'true' || text === 'false') return text === 'true';
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

/** Every value of each option with every value of the others; of no options, the one empty set. */
function combinations(options: readonly Varied[]): Record<string, OptionValue>[] {
  return options.reduce<Record<string, OptionValue>[]>(
    (sets, { name, values }) => sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value }))),
    [{}],
  );
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
