import { z } from 'zod';
import { amount, envelope, errorShape, optionalCount } from './envelope.ts';
import { outcome, terminationReason, verificationOutcome } from './termination.ts';

/** How a run ended, in one word (T19). */
export const runStatus = z.enum(['completed', 'partial', 'cancelled', 'failed']);
export type RunStatus = z.infer<typeof runStatus>;

/** The result of a run, in exactly these fields (T18). */
const runResult = z.object({
  status: runStatus,
  output: z.string(),
  model_used: z.string(),
  tokens_in: z.int().nonnegative(),
  tokens_out: z.int().nonnegative(),
  error: errorShape.nullable(),
  termination_reason: terminationReason,
  iterations_used: z.int().nonnegative(),
});
export type RunResult = z.infer<typeof runResult>;

/** A worker took the run. Each takeover increments the epoch; appends with an older epoch are rejected. */
export const runStarted = z.object({
  ...envelope,
  type: z.literal('run.started'),
  worker: z.string(),
  epoch: z.int().positive(),
});

/** A worker took over an unfinished run after the previous one was lost, or after the run waited for a message. */
export const runResumed = z.object({
  ...envelope,
  type: z.literal('run.resumed'),
  worker: z.string(),
  epoch: z.int().positive(),
  /** The run was released while it waited for a message, so nothing was interrupted. */
  after_wait: z.literal(true).optional(),
});

/** The checks before the first call: server, model, confinement (S1, S2, O7). */
export const preflightChecked = z.object({
  ...envelope,
  type: z.literal('preflight.checked'),
  server_version: z.string().optional(),
  capabilities: z.array(z.string()).optional(),
  max_context_tokens: z.int().positive().optional(),
  parameter_size: z.string().optional(),
  quantization: z.string().optional(),
  digest: z.string().optional(),
  /** SHA-256 of the model's prompt template. Missing in older logs. */
  template_hash: z.string().optional(),
  /** Of the model on disk. */
  size_bytes: z.int().nonnegative().optional(),
  /** The host to which Ollama forwards requests for this model. */
  remote_host: z.string().optional(),
  sandbox: z.object({ available: z.boolean(), kind: z.string(), reason: z.string().optional() }),
  /** The MCP servers whose tools the run offers, as they describe themselves. */
  mcp_servers: z
    .array(z.object({ server: z.string(), name: z.string(), version: z.string(), protocol: z.string() }))
    .readonly()
    .optional(),
});

export const modelLoadStarted = z.object({
  ...envelope,
  type: z.literal('model.load-started'),
  model: z.string(),
  num_ctx: z.int().positive(),
  /** How long the run waited for its slot after yielding it to others. */
  waited_ms: amount.optional(),
  /**
   * Why the model is reloaded during a run: it was unloaded, another client loaded it with a different window (OL15),
   * or it was unloaded to recover a slot that Ollama had leaked.
   */
  cause: z.enum(['unloaded', 'other_window', 'slot_freed']).optional(),
  /** For `other_window`: the window it was loaded with. */
  found_context_tokens: z.int().positive().optional(),
});

/**
 * The model is ready: in memory or remote. `context_tokens` is the effective window, as reported by `/api/ps` (K-19).
 */
export const modelLoaded = z.object({
  ...envelope,
  type: z.literal('model.loaded'),
  already_loaded: z.boolean(),
  load_ms: amount,
  context_tokens: z.int().positive().optional(),
  size_bytes: z.int().nonnegative().optional(),
  vram_bytes: z.int().nonnegative().optional(),
  /** It was loaded but did not respond, because an aborted call had leaked its slot, and was reloaded. */
  freed_slot: z.boolean().optional(),
  /** The remote host that runs the model; nothing was loaded. */
  remote_host: z.string().optional(),
  /** Of its manifest, if it is not the one that was checked: its name was given to another version. */
  digest: z.string().optional(),
});

/** The operator requested a stop: after the current step, or at once (S13, S14). */
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
  /** The reason in one sentence, with the figures behind it. */
  message: z.string(),
  /** Sequence numbers of the events that led to it. */
  evidence: z.array(z.int().positive()),
  /** For `stopped`: whether the current step was cut short (S14). */
  forced: z.boolean().optional(),
  /** How many of `tokens_in` plus `tokens_out` are estimates; missing if none. */
  tokens_estimated: optionalCount,
  /** Missing if the model has no price; 0 in logs from before models had prices. */
  cost_usd: amount.optional(),
  tool_calls: z.int().nonnegative(),
  files_written: z.array(z.string()),
  verification: verificationOutcome.optional(),
  /** Missing in older logs; the fold fills it in. */
  outcome: outcome.optional(),
});
