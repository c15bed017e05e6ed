import { z } from 'zod';
import { runConfig } from './config.ts';
import { envelope, errorShape } from './envelope.ts';

/** Why a run ended: exactly one of these (G17). */
export const terminationReason = z.enum([
  'final_answer',
  'max_iterations',
  'repetition',
  'stall',
  'nudge_exhausted',
  'budget_exceeded',
  'timeout',
  'context_full',
  'stopped',
  'error',
]);
export type TerminationReason = z.infer<typeof terminationReason>;

/** The result of a run, in exactly these fields (T18). */
export const runResult = z.object({
  status: z.enum(['completed', 'partial', 'cancelled', 'failed']),
  output: z.string(),
  model_used: z.string(),
  tokens_in: z.int().nonnegative(),
  tokens_out: z.int().nonnegative(),
  error: errorShape.nullable(),
  termination_reason: terminationReason,
  iterations_used: z.int().nonnegative(),
});
export type RunResult = z.infer<typeof runResult>;

export const runCreated = z.object({
  ...envelope,
  type: z.literal('run.created'),
  config: runConfig,
  /** The run this one was forked from: all events up to `seq` are copies of its own. */
  parent: z.object({ run_id: z.string(), seq: z.int().positive() }).optional(),
});

/** A worker took the run. The epoch rises with every taking; appends of an older epoch are refused. */
export const runStarted = z.object({
  ...envelope,
  type: z.literal('run.started'),
  worker: z.string(),
  epoch: z.int().positive(),
});

/** A worker took an unfinished run over after the former one was lost. */
export const runResumed = z.object({
  ...envelope,
  type: z.literal('run.resumed'),
  worker: z.string(),
  epoch: z.int().positive(),
});

/** What was found before the first call: server, model, confinement (S1, S2, O7). */
export const preflightChecked = z.object({
  ...envelope,
  type: z.literal('preflight.checked'),
  server_version: z.string().optional(),
  capabilities: z.array(z.string()).optional(),
  max_context_tokens: z.int().positive().optional(),
  parameter_size: z.string().optional(),
  quantization: z.string().optional(),
  digest: z.string().optional(),
  /** Of the model on disk. */
  size_bytes: z.int().nonnegative().optional(),
  sandbox: z.object({ available: z.boolean(), kind: z.string(), reason: z.string().optional() }),
});

export const modelLoadStarted = z.object({
  ...envelope,
  type: z.literal('model.load-started'),
  model: z.string(),
  num_ctx: z.int().positive(),
  /** How long the run had waited for its place at the model server before, having let others pass. */
  waited_ms: z.number().nonnegative().optional(),
  /**
   * Why it is loaded anew in the midst of a run: it was gone, another client has it with another window (OL15), or it was
   * unloaded because Ollama had kept the slot of a broken call for nobody.
   */
  cause: z.enum(['unloaded', 'other_window', 'slot_freed']).optional(),
  /** The window it was found with, for `other_window`. */
  found_context_tokens: z.int().positive().optional(),
});

/** The model is in memory. `context_tokens` is the window in effect, as `/api/ps` reports it (K-19). */
export const modelLoaded = z.object({
  ...envelope,
  type: z.literal('model.loaded'),
  already_loaded: z.boolean(),
  load_ms: z.number().nonnegative(),
  context_tokens: z.int().positive().optional(),
  size_bytes: z.int().nonnegative().optional(),
  vram_bytes: z.int().nonnegative().optional(),
  /** It was in memory but answered nobody: a slot was kept for a call that somebody broke off. It was loaded afresh. */
  freed_slot: z.boolean().optional(),
});

/** A person asked for the end: after this step, or at once (S13, S14). */
export const stopRequested = z.object({
  ...envelope,
  type: z.literal('stop.requested'),
  force: z.boolean(),
  by: z.enum(['operator', 'server']),
});

export const runEnded = z.object({
  ...envelope,
  type: z.literal('run.ended'),
  result: runResult,
  /** The reason in one sentence, with the figures that led to it. */
  message: z.string(),
  /** Sequence numbers of the events that show it. */
  evidence: z.array(z.int().positive()),
  /** For `stopped`: whether the current step was cut short (S14). */
  forced: z.boolean().optional(),
  cost_usd: z.number().nonnegative(),
  tool_calls: z.int().nonnegative(),
  files_written: z.array(z.string()),
  verification: z.enum(['pass', 'partial_pass', 'fail']).optional(),
});
