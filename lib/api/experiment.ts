import { z } from 'zod';
import { thinkSetting } from '../events/config.ts';
import { errorShape } from '../events/envelope.ts';
import type { RepeatableKind } from '../events/modes.ts';
import { outcome } from '../events/termination.ts';
import { createRunRequest } from './create-run.ts';

const { shape } = createRunRequest;

/** Maximum number of runs per experiment. */
export const MAX_EXPERIMENT_RUNS = 1000;

/** Settings shared by all runs of an experiment, as in `POST /api/runs`. */
const experimentSettings = z.strictObject({
  system: shape.system,
  tier: shape.tier,
  max_iterations: shape.max_iterations,
  window_tokens: shape.window_tokens,
  stall_guard: shape.stall_guard,
  nudge_plans: shape.nudge_plans,
  budget: shape.budget,
  checks: shape.checks,
  max_attempts: shape.max_attempts,
  live_tokens: shape.live_tokens,
  think: shape.think,
  keep_alive: shape.keep_alive,
  call_timeout_seconds: shape.call_timeout_seconds,
  load_timeout_seconds: shape.load_timeout_seconds,
  num_predict: shape.num_predict,
  compact_at: shape.compact_at,
  result_chars: shape.result_chars,
  parser_layers: shape.parser_layers,
  shell_timeout_secs: shape.shell_timeout_secs,
  blocked_patterns: shape.blocked_patterns,
  approval: shape.approval,
  context_limit: shape.context_limit,
  calls_per_cycle: shape.calls_per_cycle,
  cycle_line: shape.cycle_line,
  diversity: shape.diversity,
});

/** The kind of runs: tasks with tools, single answers without, or explorations. */
const experimentMode = z.enum(['task', 'prompt', 'explore'] satisfies RepeatableKind[]);
export type ExperimentMode = z.infer<typeof experimentMode>;

const optionSet = z.record(z.string(), z.union([z.number(), z.string(), z.boolean()]));

/**
 * Body of `POST /api/experiments`: every model with every option set and every seed, repeated `repeats` times. Each task
 * run gets its own folder, so that no run sees the work of another.
 */
export const experimentRequest = z.strictObject({
  name: z.string().trim().min(1, 'Give it a name.').max(120),
  mode: experimentMode.default('explore'),
  models: z.array(shape.model).min(1, 'Choose a model.').max(50),
  options: z.array(optionSet).min(1).max(50).default([{}]),
  /** Empty: no seed is sent. */
  seeds: z
    .array(
      z
        .int()
        .min(0)
        .max(2 ** 31 - 1),
    )
    .max(200)
    .default([]),
  repeats: z.int().min(1).max(200).default(1),
  /** Per exploration (X22). */
  cycles: z.int().min(1).max(1000).optional(),
  /** The task of each run, or the prompt. */
  task: shape.task,
  /** Each task works on a copy of this folder; without it, in an empty folder. */
  workspace: shape.workspace,
  settings: experimentSettings.default({}),
});
export type ExperimentRequest = z.input<typeof experimentRequest>;
export type ExperimentPlan = z.output<typeof experimentRequest>;

/** The result of one run. */
const experimentResult = z.object({
  status: z.enum(['completed', 'partial', 'cancelled', 'failed']),
  termination_reason: z.string(),
  message: z.string(),
  seconds: z.number().nonnegative(),
  iterations: z.int().nonnegative(),
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
  novelty_measure: z.enum(['ngram', 'embeddings']).optional(),
  files_written: z.int().nonnegative(),
  /**
   * The `think` value that was sent; lower than the setting if the model refused that. Missing without a call and in
   * older results.
   */
  think: thinkSetting.optional(),
  verification: z.enum(['pass', 'partial_pass', 'fail']).optional(),
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
  seed: z.int().optional(),
  repeat: z.int().positive(),
  status: z.enum(['waiting', 'running', 'done', 'failed']),
  run_id: z.string().optional(),
  result: experimentResult.optional(),
  /** Why the run could not be created. */
  error: errorShape.optional(),
});
export type ExperimentItem = z.infer<typeof experimentItem>;

/** An experiment in a list. */
export const experimentSummary = z.object({
  id: z.string(),
  name: z.string(),
  mode: experimentMode,
  /** `waiting`: for another experiment. */
  status: z.enum(['waiting', 'running', 'stopped', 'finished']),
  /** Milliseconds since 1970. */
  created_at: z.int(),
  updated_at: z.int(),
  total: z.int().nonnegative(),
  done: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  /** Current runs; a stopped experiment may still have some. Missing in older data. */
  running: z.int().nonnegative().optional(),
  /** Why it stopped on its own. */
  problem: errorShape.optional(),
  plan: experimentRequest,
});
export type ExperimentSummary = z.infer<typeof experimentSummary>;

/** Body of `POST /api/experiments/{id}/stop`: after the current run, or immediately with `force`. */
export const stopExperimentRequest = z.strictObject({ force: z.boolean().default(false) });

export interface ExperimentReply {
  experiment: ExperimentSummary;
  items: ExperimentItem[];
}

export interface ExperimentListReply {
  experiments: ExperimentSummary[];
}
