import { z } from 'zod';
import { numberSchema, optionalSettings } from '../events/config.ts';
import { errorShape } from '../events/envelope.ts';
import {
  MAX_EXPERIMENT_REPEATS,
  MAX_FACTORS,
  MAX_OPTION_SETS,
  MAX_SEEDS,
  MAX_SUITE_CASES,
} from '../events/limits.ts';
import { type RunKind, runKinds } from '../events/modes.ts';
import { runStatus } from '../events/run.ts';
import { optionValue, thinkSetting } from '../events/setting-values.ts';
import { MODEL_OPTIONS, SETTING_NAMES, SETTINGS } from '../events/settings.ts';
import { SIMILARITY_MEASURES } from '../events/similarity-matrix.ts';
import { outcome, verificationOutcome } from '../events/termination.ts';
import { SHA256_HEX } from '../util/byte-patterns.ts';
import { caseId, caseTag } from './case-names.ts';
import { createRunRequest } from './create-run.ts';
import { factorLists, factorProblems, factorValues } from './experiment-factors.ts';
import { misspelledOption, tooManyOptions } from './model-options.ts';
import { optionProblem } from './named-options.ts';

const { shape } = createRunRequest;

/** Settings shared by all runs of an experiment, as in `POST /api/runs`. Options and cycles have separate fields. */
const experimentSettings = z
  .strictObject({
    ...optionalSettings(SETTING_NAMES),
    approval: shape.approval,
  })
  .omit({ model_options: true, max_cycles: true, turn_delay: true, unattended: true });

/** The kind of runs: tasks with tools, single answers without, explorations, or sessions that end at their limits. */
const experimentMode = z.enum(runKinds);
export type ExperimentMode = RunKind;

const optionSet = z.record(z.string(), optionValue);

/** The cases that an experiment runs: those of a suite, or some of them. */
const planSuite = z.strictObject({
  /** ID of a stored suite. */
  id: z.string().min(1).max(100).optional(),
  /** Name of a suite that ships with Loupe, such as `basics`. */
  shipped: z.string().min(1).max(100).optional(),
  /** Hash of the version; default: the current one. A stored plan always has it. */
  hash: z.string().regex(SHA256_HEX, 'A hash must have 64 hexadecimal digits.').optional(),
  /** Only cases with one of these tags. */
  tags: distinctTexts(caseTag, 'A tag is listed twice.').optional(),
  /** Only cases with these IDs. */
  cases: distinctTexts(caseId, 'A case is listed twice.').optional(),
});

/**
 * The plan of an experiment: every model with every option set, every combination of factors, every case and every seed,
 * repeated `repeats` times. Each run that uses files gets its own folder, so that no run sees the work of another.
 */
const experimentPlan = z.strictObject({
  name: z.string().trim().min(1, 'Give it a name.').max(120),
  /** Default: `explore`. With a suite, each case has its own. */
  mode: experimentMode.optional(),
  /** Instead of `mode`, `task` and `workspace`, which each case has. */
  suite: planSuite.optional(),
  models: z.array(shape.model).min(1, 'Choose a model.').max(50),
  options: z.array(optionSet).min(1).max(MAX_OPTION_SETS).default([{}]),
  /** Settings to vary, each with its values. Missing in plans from before there were factors. */
  factors: factorLists
    .refine((factors) => Object.keys(factors).length <= MAX_FACTORS, `At most ${MAX_FACTORS} factors.`)
    .optional(),
  /** Empty: no seed is sent. */
  seeds: z.array(numberSchema(MODEL_OPTIONS.seed)).max(MAX_SEEDS).default([]),
  repeats: z.int().min(1).max(MAX_EXPERIMENT_REPEATS).default(1),
  /** Per exploration (X22). */
  cycles: numberSchema(SETTINGS.max_cycles).optional(),
  /** The task of each run, or the prompt. */
  task: shape.task,
  /** Each task works on a copy of this folder; without it, in an empty folder. */
  workspace: shape.workspace,
  settings: experimentSettings.default({}),
});
export type ExperimentPlan = z.output<typeof experimentPlan>;

/** A list of at least one text, without duplicates. */
function distinctTexts<Text extends z.ZodType<string>>(text: Text, message: string) {
  return z
    .array(text)
    .min(1)
    .max(MAX_SUITE_CASES)
    .refine((texts) => new Set(texts).size === texts.length, message);
}

/** The number of runs, which confirms a large experiment. Another number is refused, however small the experiment is. */
const confirmRuns = z.int().positive().optional();

/** Body of `POST /api/experiments`: a plan, and for more than 1000 runs their number. */
export const experimentRequest = experimentPlan
  .extend({ confirm_runs: confirmRuns })
  .superRefine(({ factors = {}, ...fixed }, context) => {
    for (const { path, message } of factorProblems(factors, fixed)) {
      context.addIssue({ code: 'custom', path: ['factors', ...path], message });
    }
    for (const [path, message] of suiteProblems({ factors, ...fixed }))
      context.addIssue({ code: 'custom', path, message });
    for (const [path, message] of optionProblems(fixed)) context.addIssue({ code: 'custom', path, message });
  });

/**
 * Option sets that are too large, misspelled names in them, with the option that is meant, invalid values, and seeds that
 * the plan lists as well; with their path.
 */
function optionProblems({
  options,
  seeds,
}: Pick<ExperimentPlan, 'options' | 'seeds'>): [path: (string | number)[], message: string][] {
  return options.flatMap((set, index): [(string | number)[], string][] => {
    const tooMany = tooManyOptions(set);
    if (tooMany !== undefined) return [[['options', index], tooMany]];
    return Object.entries(set).flatMap(([name, value]): [(string | number)[], string][] => {
      const isSeedOfPlan = name === 'seed' && seeds.length > 0;
      const problem = isSeedOfPlan
        ? 'The field seeds also sets it. Remove one of the two.'
        : (misspelledOption(name) ?? optionProblem(name, value));
      return problem === undefined ? [] : [[['options', index, name], problem]];
    });
  });
}

/** Problems of a plan's suite, and of fields that cases define themselves, with their path. */
function suiteProblems({
  suite,
  mode,
  task,
  workspace,
  factors = {},
}: Pick<ExperimentPlan, 'suite' | 'mode' | 'task' | 'workspace' | 'factors'>): [
  path: string[],
  message: string,
][] {
  if (!suite) return [];
  const problems: [string[], string][] = [];
  if ((suite.id === undefined) === (suite.shipped === undefined)) {
    problems.push([
      ['suite'],
      'Set either id, for a stored suite, or shipped, for one that ships with Loupe.',
    ]);
  }
  const own = { mode, workspace, task: task === '' ? undefined : task };
  for (const [field, value] of Object.entries(own)) {
    if (value !== undefined) problems.push([[field], 'Each case of the suite has its own. Remove it.']);
  }
  if (Object.hasOwn(factors, 'checks')) {
    problems.push([['factors', 'checks'], 'Each case of the suite has its own.']);
  }
  return problems;
}

export type ExperimentRequest = z.input<typeof experimentRequest>;
/** A validated request. */
export type NewExperiment = z.output<typeof experimentRequest>;

/**
 * Body of `POST /api/experiments/{id}/extend`: what is added to the lists of the plan, the new number of repeats, and for
 * more than 1000 runs in total their number.
 */
export const extendExperimentRequest = z.strictObject({
  models: z.array(shape.model).max(50).default([]),
  factors: factorLists.default({}),
  seeds: z.array(numberSchema(MODEL_OPTIONS.seed)).max(MAX_SEEDS).default([]),
  repeats: z.int().min(1).max(MAX_EXPERIMENT_REPEATS).optional(),
  confirm_runs: confirmRuns,
});
export type ExtendExperiment = z.output<typeof extendExperimentRequest>;
export type ExtendExperimentRequest = z.input<typeof extendExperimentRequest>;

/** `POST /api/experiments/{id}/extend?count=1` */
export interface ExtensionCountReply {
  /** How many runs the experiment would have. */
  total: number;
  /** How many of them would be new. */
  added: number;
}

/** The machine that an experiment ran on. */
const machineFacts = z.object({
  cpu: z.string().optional(),
  cores: z.int().positive().optional(),
  memory_bytes: z.int().positive().optional(),
  gpu: z.string().optional(),
});

/** The result of one run. */
const experimentResult = z.object({
  status: runStatus,
  termination_reason: z.string(),
  message: z.string(),
  /** The run's duration, as `RunSummary.worked_ms`. */
  seconds: z.number().nonnegative(),
  iterations: z.int().nonnegative(),
  /** Of a session; missing in older results. */
  turns: z.int().nonnegative().optional(),
  cycles: z.int().nonnegative(),
  model_calls: z.int().nonnegative(),
  /** As sent with the first call; missing without a call and in older results. */
  num_ctx: z.int().positive().optional(),
  num_predict: z.int().optional(),
  tool_calls: z.int().nonnegative(),
  failed_tool_calls: z.int().nonnegative(),
  tokens_in: z.int().nonnegative(),
  tokens_out: z.int().nonnegative(),
  /** How many of these are estimates; missing: none. */
  tokens_estimated: z.int().nonnegative().optional(),
  /** In US dollars; missing if the model had no price. */
  cost_usd: z.number().nonnegative().optional(),
  /** Memories at the end, messages to the operator, and the mean novelty of reflections from 0 to 1. */
  memories: z.int().nonnegative(),
  messages: z.int().nonnegative(),
  novelty: z.number().min(0).max(1).optional(),
  /** How `novelty` was measured; missing in older results, which all used word n-grams. */
  novelty_measure: z.enum(SIMILARITY_MEASURES).optional(),
  files_written: z.int().nonnegative(),
  /** Calls that returned a reply, or the beginning of one. Missing in older results. */
  model_replies: z.int().nonnegative().optional(),
  /** The following are missing in older results. `calls_*`: tool calls by the layer that read them. */
  attempts: z.int().nonnegative().optional(),
  calls_native: z.int().nonnegative().optional(),
  calls_json: z.int().nonnegative().optional(),
  calls_xml: z.int().nonnegative().optional(),
  /** Tool calls by the format in which they were read, such as `native` or `hermes`. */
  calls_by_format: z.record(z.string(), z.int().nonnegative()).optional(),
  /** Replies whose calls were read after a repair, changed arguments, and refused calls. */
  repairs: z.int().nonnegative().optional(),
  coercions: z.int().nonnegative().optional(),
  refused_calls: z.int().nonnegative().optional(),
  /** Replies with a call that nobody could read. */
  malformed_replies: z.int().nonnegative().optional(),
  nudges: z.int().nonnegative().optional(),
  retries: z.int().nonnegative().optional(),
  /** Replies that ended at the reply limit. */
  cut_offs: z.int().nonnegative().optional(),
  /** Requests that Ollama refused as too long for the window. */
  overflows: z.int().nonnegative().optional(),
  /** Prompt tokens of the calls that Ollama measured: as Loupe estimated them (characters / 4), and as measured. */
  prompt_tokens_estimated: z.int().nonnegative().optional(),
  prompt_tokens_measured: z.int().nonnegative().optional(),
  /** Missing if the replies were too short to measure it. */
  tokens_per_second: z.number().nonnegative().optional(),
  /** The model and its server, as they were when the run began. */
  ollama_version: z.string().optional(),
  digest: z.string().optional(),
  quantization: z.string().optional(),
  parameter_size: z.string().optional(),
  /** SHA-256 of the model's prompt template. */
  template_hash: z.string().optional(),
  /** The share of the loaded model in the memory of the GPU. */
  gpu_share: z.number().min(0).max(1).optional(),
  /** The options of the first call. */
  options_sent: z.record(z.string(), z.json()).optional(),
  loupe_version: z.string().optional(),
  /** Hash of the suite's version. */
  suite_hash: z.string().optional(),
  /** Where Loupe ran. */
  machine: machineFacts.optional(),
  /**
   * The `think` value that was sent; lower than the setting if the model refused that. Missing without a call and in
   * older results.
   */
  think: thinkSetting.optional(),
  verification: verificationOutcome.optional(),
  /** Opinions of models on the last attempt: how many have a verdict, and of these the good ones. Not part of `verification`. */
  opinions_judged: z.int().nonnegative().optional(),
  opinions_passed: z.int().nonnegative().optional(),
  /** The outcome of the run. Missing in older results. */
  outcome: outcome.optional(),
  /** The model's last text, at most 2000 characters. */
  output: z.string(),
});
export type ExperimentResult = z.infer<typeof experimentResult>;

/** One run of an experiment. */
export const experimentItem = z.object({
  /** Execution order, from 1. */
  position: z.int().positive(),
  model: z.string(),
  options: optionSet,
  /** Missing: nothing else is varied. */
  factors: factorValues.optional(),
  /** ID of the case; missing without a suite. */
  case: z.string().optional(),
  seed: z.int().optional(),
  repeat: z.int().positive(),
  status: z.enum(['waiting', 'running', 'done', 'failed']),
  run_id: z.string().optional(),
  result: experimentResult.optional(),
  /** Why the run could not be created, or that it was deleted before its result was stored. */
  error: errorShape.optional(),
  /** How often it was started again because it did not run. Missing: never. */
  retries: z.int().positive().optional(),
});
export type ExperimentItem = z.infer<typeof experimentItem>;

/** A person's annotations of a run; not stored with the experiment. */
export interface RunNote {
  score?: number;
  note?: string;
}

/** An item as replies and exports show it. */
export type NotedItem = ExperimentItem & RunNote;

/** A suite as it was when the experiment was created. */
const experimentSuite = z.object({
  /** Missing for a suite that ships with Loupe. */
  id: z.string().optional(),
  name: z.string(),
  /** Hash of the version. */
  hash: z.string(),
  /** How many of its cases are run, and their modes. */
  cases: z.int().positive(),
  modes: z.array(experimentMode).min(1),
});
export type ExperimentSuite = z.infer<typeof experimentSuite>;

/** An experiment in a list. */
export const experimentSummary = z.object({
  id: z.string(),
  name: z.string(),
  /** With a suite: the mode that its cases have, or most of them. */
  mode: experimentMode,
  /** The suite whose cases it runs. */
  suite: experimentSuite.optional(),
  /** `waiting`: for another experiment. */
  status: z.enum(['waiting', 'running', 'stopped', 'finished']),
  /** Milliseconds since 1970. */
  created_at: z.int(),
  updated_at: z.int(),
  total: z.int().nonnegative(),
  done: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  /** Of `done`, the runs that an error ended before the model's first reply. Missing in older data. */
  not_run: z.int().nonnegative().optional(),
  /** Current runs; a stopped experiment may still have some. Missing in older data. */
  running: z.int().nonnegative().optional(),
  /** Of each model, the runs that passed, and those that passed or failed. Missing in older data. */
  verdicts: z
    .array(z.object({ model: z.string(), passed: z.int().nonnegative(), judged: z.int().nonnegative() }))
    .optional(),
  /** Why it stopped on its own. */
  problem: errorShape.optional(),
  plan: experimentPlan,
});
export type ExperimentSummary = z.infer<typeof experimentSummary>;

/** Body of `POST /api/experiments/{id}/stop`: after the current run, or immediately with `force`. */
export const stopExperimentRequest = z.strictObject({ force: z.boolean().default(false) });

export interface ExperimentReply {
  experiment: ExperimentSummary;
  items: NotedItem[];
}

/** Reply to `DELETE /api/experiments/{id}`. */
export interface DeletedExperimentReply {
  deleted: string;
  /** The IDs of the runs that were deleted with it. */
  runs: string[];
}

export interface ExperimentListReply {
  experiments: ExperimentSummary[];
}
