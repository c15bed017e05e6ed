import type { ExperimentMode, ExperimentRequest } from '../../api/experiment.ts';
import {
  MAX_EXPERIMENT_REPEATS,
  MAX_EXPERIMENT_RUNS,
  MAX_SEEDS,
  MAX_UNCONFIRMED_RUNS,
} from '../../events/limits.ts';
import { DEFAULT_MODE, kindFacts, type RunKind } from '../../events/modes.ts';
import { formLimits, MODEL_OPTIONS, NUMBER_SETTINGS } from '../../events/settings.ts';
import { formatNumber } from '../../util/numbers.ts';
import { type DraftCheck, readChecks } from './check-draft.ts';
import { readFactors } from './factor-lines.ts';

/** A suite that is chosen in the form, with what it needs to know about the cases. */
export interface DraftSuite {
  reference: { id: string } | { shipped: string };
  name: string;
  cases: readonly { mode: ExperimentMode; tags: readonly string[] }[];
}

/** The form of an experiment as it is filled in. Lists are text: `0, 0.7`, `1-5 9`. */
export interface ExperimentDraft {
  name: string;
  /** Whether each run does one task, or a case of a suite. */
  work: 'task' | 'suite';
  suite: DraftSuite | null;
  /** Tags of which a case must have one; empty: all cases. */
  tags: readonly string[];
  mode: ExperimentMode;
  task: string;
  /** A folder that each task gets a copy of. */
  workspace: string;
  models: readonly string[];
  /** The checks that each run of a task must pass. */
  checks: DraftCheck[];
  temperatures: string;
  /** Other settings to vary, one a line with the values to try: `top_p: 0.9, 0.5`. */
  factors: string;
  seeds: string;
  repeats: string;
  cycles: string;
  diversity: boolean;
  /** The number of runs that a person has confirmed; 0: none. */
  confirmed: number;
}

export const emptyExperiment: ExperimentDraft = {
  name: '',
  work: 'task',
  suite: null,
  tags: [],
  mode: DEFAULT_MODE,
  task: '',
  workspace: '',
  models: [],
  checks: [],
  temperatures: '',
  factors: '',
  seeds: '',
  repeats: '',
  cycles: '',
  diversity: false,
  confirmed: 0,
};

/** The problem shown for an unreadable seeds field. */
export const SEEDS_PROBLEM = `At most ${MAX_SEEDS} whole numbers, such as 1-5 or 7, 42.`;

const { max: maxCycles } = formLimits(NUMBER_SETTINGS.max_cycles);

export type ExperimentProblems = Partial<Record<keyof ExperimentDraft, string>>;

/** Reads a draft: the request and its number of runs, or the problems by field. Pure. */
export function experimentOf(
  draft: ExperimentDraft,
):
  | { ok: true; request: ExperimentRequest; runs: number }
  | { ok: false; problems: ExperimentProblems; runs: number } {
  const problems: ExperimentProblems = {};
  const temperatures = numbersOf(draft.temperatures, formLimits(MODEL_OPTIONS.temperature));
  const seeds = numbersOf(draft.seeds, formLimits(MODEL_OPTIONS.seed));
  const repeats = oneNumber(draft.repeats, MAX_EXPERIMENT_REPEATS);
  const cycles = oneNumber(draft.cycles, maxCycles);
  if (draft.name.trim() === '') problems.name = 'Give it a name.';
  if (draft.models.length === 0) problems.models = 'Choose at least one model.';
  const work = draft.work === 'suite' ? suiteWork(draft) : taskWork(draft, cycles ?? undefined);
  Object.assign(problems, work.problems);
  if (!temperatures)
    problems.temperatures = `Numbers from 0 to ${MODEL_OPTIONS.temperature.max}, such as 0, 0.7.`;
  if (!seeds) problems.seeds = SEEDS_PROBLEM;
  if (repeats === null) problems.repeats = `A whole number from 1 to ${MAX_EXPERIMENT_REPEATS}.`;
  if (cycles === null) problems.cycles = `A whole number from 1 to ${formatNumber(maxCycles)}.`;
  const others = readFactors(draft.factors);
  if (!others.ok) problems.factors = others.problem;
  else if (temperatures?.length && Object.hasOwn(others.factors, 'temperature')) {
    problems.factors = 'temperature: It has its own field.';
  } else if (work.fields?.cycles !== undefined && Object.hasOwn(others.factors, 'max_cycles')) {
    problems.factors = 'max_cycles: Leave Cycles each empty to vary it.';
  }
  const factors = {
    ...(temperatures?.length ? { temperature: temperatures } : {}),
    ...(others.ok ? others.factors : {}),
  };
  const combinations = Object.values(factors).reduce((product, { length }) => product * length, 1);
  const each = combinations * Math.max(1, seeds?.length ?? 1) * (repeats ?? 1);
  const runs = draft.models.length * each * work.cases;
  if (runs > MAX_EXPERIMENT_RUNS) {
    problems.repeats = `The plan has ${formatNumber(runs)} runs; at most ${formatNumber(MAX_EXPERIMENT_RUNS)} are possible.`;
  } else if (needsConfirmation(runs) && draft.confirmed !== runs) {
    problems.confirmed = `Confirm the start of ${formatNumber(runs)} runs.`;
  }
  if (Object.keys(problems).length > 0) return { ok: false, problems, runs };
  return {
    ok: true,
    runs,
    request: {
      name: draft.name.trim(),
      models: [...draft.models],
      factors: Object.keys(factors).length === 0 ? undefined : factors,
      seeds: seeds ?? undefined,
      repeats: repeats ?? undefined,
      ...work.fields,
      ...(needsConfirmation(runs) ? { confirm_runs: runs } : {}),
    },
  };
}

/** The work of the runs: fields of the request, and the number of runs for each combination of everything else. */
interface ReadWork {
  problems: ExperimentProblems;
  fields?: Pick<ExperimentRequest, 'suite' | 'mode' | 'task' | 'workspace' | 'cycles' | 'settings'>;
  cases: number;
}

function suiteWork({ suite, tags }: ExperimentDraft): ReadWork {
  if (!suite) return { problems: { suite: 'Choose a suite.' }, cases: 0 };
  return {
    problems: {},
    fields: { suite: { ...suite.reference, ...(tags.length === 0 ? {} : { tags: [...tags] }) } },
    cases: casesOf(suite, tags).length,
  };
}

/** The cases of a suite that have one of the tags, or all. */
export function casesOf({ cases }: DraftSuite, tags: readonly string[]): DraftSuite['cases'] {
  return tags.length === 0 ? cases : cases.filter((one) => one.tags.some((tag) => tags.includes(tag)));
}

/** The most frequent kind of run, by which the time is estimated; on a tie, that of the first case. */
export function kindOfRuns({
  work,
  suite,
  tags,
  mode,
}: Pick<ExperimentDraft, 'work' | 'suite' | 'tags' | 'mode'>): RunKind {
  if (work !== 'suite' || !suite) return mode;
  const kinds = [...Map.groupBy(casesOf(suite, tags), (one) => one.mode)];
  const [most] = kinds.toSorted(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? mode;
}

function taskWork(draft: ExperimentDraft, cycles: number | undefined): ReadWork {
  const problems: ExperimentProblems = {};
  const { task, usesFiles, hasCycles } = kindFacts(draft.mode);
  if (task === 'required' && draft.task.trim() === '') problems.task = 'Say what each run should do.';
  const workspace = usesFiles ? draft.workspace.trim() : '';
  if (workspace !== '' && !/^(\/|[a-z]:[\\/])/i.test(workspace)) {
    problems.workspace = 'Enter an absolute path.';
  }
  const checks = readChecks(draft.mode, draft.checks);
  if (!checks.ok) problems.checks = checks.problem;
  const settings = {
    ...(hasCycles && draft.diversity ? { diversity: {} } : {}),
    ...(checks.ok && checks.checks.length > 0 ? { checks: checks.checks } : {}),
  };
  return {
    problems,
    cases: 1,
    fields: {
      mode: draft.mode,
      ...(hasCycles ? { cycles } : {}),
      settings: Object.keys(settings).length === 0 ? undefined : settings,
      ...(task === 'none' ? {} : { task: draft.task.trim() }),
      ...(workspace === '' ? {} : { workspace }),
    },
  };
}

/** Whether this many runs must be confirmed. */
export function needsConfirmation(runs: number): boolean {
  return runs > MAX_UNCONFIRMED_RUNS && runs <= MAX_EXPERIMENT_RUNS;
}

/** `1-3, 7` as numbers; `undefined` if a part is not a number. */
export function numbersOf(text: string, limits: { max: number; whole?: boolean }): number[] | undefined {
  const numbers: number[] = [];
  for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
    const range = /^(\d+)-(\d+)$/.exec(part);
    const from = Number(range?.[1] ?? part);
    const to = Number(range?.[2] ?? part);
    const isFit =
      Number.isFinite(from) && from >= 0 && to <= limits.max && to >= from && to - from < MAX_SEEDS;
    if (!isFit || (limits.whole && !Number.isInteger(from))) return undefined;
    if (range && limits.whole) for (let value = from; value <= to; value += 1) numbers.push(value);
    else if (range) return undefined;
    else numbers.push(from);
    if (numbers.length > MAX_SEEDS) return undefined;
  }
  return [...new Set(numbers)];
}

/** A count from 1; `undefined` if empty, `null` if invalid. */
function oneNumber(text: string, max: number): number | undefined | null {
  if (text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= max ? value : null;
}
