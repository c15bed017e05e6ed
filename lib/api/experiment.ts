import { z } from 'zod';
import { errorShape } from '../events/envelope.ts';
import { createRunRequest } from './create-run.ts';

const { shape } = createRunRequest;

/** Runs that one experiment may make. */
export const MAX_EXPERIMENT_RUNS = 1000;

/** Settings that all runs of an experiment share, as in `POST /api/runs`. */
export const experimentSettings = z.strictObject({
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
  context_limit: shape.context_limit,
  calls_per_cycle: shape.calls_per_cycle,
  cycle_line: shape.cycle_line,
  diversity: shape.diversity,
});

/** What the runs of an experiment are: tasks with tools, single answers without, or explorations. */
export const experimentMode = z.enum(['task', 'prompt', 'explore']);
export type ExperimentMode = z.infer<typeof experimentMode>;

const optionSet = z.record(z.string(), z.union([z.number(), z.string(), z.boolean()]));

/**
 * Body of `POST /api/experiments`: every model with every set of options, every seed, and as many repeats. A run of a task
 * gets a folder of its own: no run finds what another has done.
 */
export const experimentRequest = z.strictObject({
  name: z.string().trim().min(1, 'Give it a name.').max(120),
  mode: experimentMode.default('explore'),
  models: z.array(shape.model).min(1, 'Choose a model.').max(50),
  options: z.array(optionSet).min(1).max(50).default([{}]),
  /** Left out: no seed is sent. */
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
  /** Of each exploration (X22). */
  cycles: z.int().min(1).max(1000).optional(),
  /** Of each task, or what each prompt asks. */
  task: shape.task,
  /** A folder that each task works on a copy of; left out: an empty folder for each. */
  workspace: shape.workspace,
  settings: experimentSettings.default({}),
});
export type ExperimentRequest = z.input<typeof experimentRequest>;
export type ExperimentPlan = z.output<typeof experimentRequest>;

/** What came out of one run. */
export const experimentResult = z.object({
  status: z.enum(['completed', 'partial', 'cancelled', 'failed']),
  termination_reason: z.string(),
  message: z.string(),
  seconds: z.number().nonnegative(),
  iterations: z.int().nonnegative(),
  cycles: z.int().nonnegative(),
  model_calls: z.int().nonnegative(),
  tool_calls: z.int().nonnegative(),
  failed_tool_calls: z.int().nonnegative(),
  tokens_in: z.int().nonnegative(),
  tokens_out: z.int().nonnegative(),
  /** Memories at the end, messages to the operator, and the mean novelty of reflections, 0 to 1. */
  memories: z.int().nonnegative(),
  messages: z.int().nonnegative(),
  novelty: z.number().min(0).max(1).optional(),
  files_written: z.int().nonnegative(),
  verification: z.enum(['pass', 'partial_pass', 'fail']).optional(),
  /** The last text of the model, at most 2000 characters. */
  output: z.string(),
});
export type ExperimentResult = z.infer<typeof experimentResult>;

/** One run of an experiment, planned, running or done. */
export const experimentItem = z.object({
  /** In the order of execution, from 1. */
  position: z.int().positive(),
  model: z.string(),
  options: optionSet,
  seed: z.int().optional(),
  repeat: z.int().positive(),
  status: z.enum(['waiting', 'running', 'done', 'failed']),
  run_id: z.string().optional(),
  result: experimentResult.optional(),
  /** Why the run could not even be made. */
  error: errorShape.optional(),
});
export type ExperimentItem = z.infer<typeof experimentItem>;

/** An experiment as a list shows it. */
export const experimentSummary = z.object({
  id: z.string(),
  name: z.string(),
  mode: experimentMode,
  /** `waiting` for another experiment. */
  status: z.enum(['waiting', 'running', 'stopped', 'finished']),
  /** Milliseconds since 1970. */
  created_at: z.int(),
  updated_at: z.int(),
  total: z.int().nonnegative(),
  done: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  /** Runs in hand: also one that was stopped sees them to their end. Missing in what was stored before it was counted. */
  running: z.int().nonnegative().optional(),
  /** Why it stopped by itself. */
  problem: errorShape.optional(),
  plan: experimentRequest,
});
export type ExperimentSummary = z.infer<typeof experimentSummary>;

/** Body of `POST /api/experiments/{id}/stop`: after the run in hand, or with `force` at once. */
export const stopExperimentRequest = z.strictObject({ force: z.boolean().default(false) });

export interface ExperimentReply {
  experiment: ExperimentSummary;
  items: ExperimentItem[];
}

export interface ExperimentListReply {
  experiments: ExperimentSummary[];
}
