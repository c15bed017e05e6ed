import { z } from 'zod';

/** Complexity tiers and their iteration limits (G1, AGENT-08). */
export const tier = z.enum(['trivial', 'standard', 'complex']);

/** A check of the finished work (V11), run in the workspace like the tools. */
export const check = z.discriminatedUnion('type', [
  z.object({ type: z.literal('command'), command: z.string().min(1).max(4000) }),
  z.object({ type: z.literal('file_exists'), path: z.string().min(1).max(4096) }),
  z.object({
    type: z.literal('file_contains'),
    path: z.string().min(1).max(4096),
    text: z.string().min(1).max(10_000),
  }),
]);
export type Check = z.infer<typeof check>;

export const thinkSetting = z.union([z.boolean(), z.enum(['low', 'medium', 'high'])]);

/** Spending limits of a run, each optional (V2). */
export const budget = z.object({
  max_tokens_total: z.int().positive().optional(),
  max_cost_usd: z.number().positive().optional(),
  max_seconds: z.number().positive().optional(),
});

/**
 * Everything that decides how a run goes, fixed when it is created, with all defaults filled in: a run can be read,
 * resumed and repeated from this alone.
 */
export const runConfig = z.object({
  mode: z.enum(['task']),
  /** `false` takes the single-shot path: one streamed answer, no tools, no loop (T9, T10). */
  agentic: z.boolean(),
  task: z.string().min(1).max(200_000),
  model: z.string().min(1).max(300),
  /** Absolute path; an empty string on the single-shot path, which touches no files. */
  workspace: z.string(),
  /** Task-specific words that go before the tool rules in the system prompt (T2). */
  system: z.string().max(100_000).optional(),
  tier,
  /** Resolved from the tier or the explicit override (G1-G3). */
  max_iterations: z.int().min(1).max(100),
  /** `num_ctx` (C7): tokens the window holds; lowered when the model's maximum is lower. */
  window_tokens: z.int().min(256).max(2_000_000),
  /** Share of the window at which older results are folded (C2). */
  compact_at: z.number().min(0.1).max(1),
  /** Rounds kept verbatim (C3). */
  keep_rounds: z.int().min(1).max(20),
  /** Characters a single result is cut to when folding is not enough (C6). */
  result_chars: z.int().min(200).max(1_000_000),
  /** First and second reply limit in tokens (T20, T21). */
  num_predict: z.tuple([z.int().positive(), z.int().positive()]),
  call_timeout_ms: z.int().positive(),
  load_timeout_ms: z.int().positive(),
  repetition_threshold: z.int().min(2).max(20),
  stall_guard: z.boolean(),
  stall_threshold: z.int().min(1).max(100),
  nudge_plans: z.boolean(),
  max_nudges: z.int().min(0).max(20),
  budget,
  checks: z.array(check).max(20),
  /** Attempts in all, first included, when checks fail (V7). */
  max_attempts: z.int().min(1).max(10),
  /** Stream on the wire and show text while it is written (K-21). */
  live_tokens: z.boolean(),
  think: thinkSetting,
  keep_alive: z.union([z.string(), z.number()]),
  /** Ollama options beside `num_ctx` and `num_predict`: temperature, seed, … */
  model_options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
  parser_layers: z.array(z.enum(['native', 'json', 'xml'])),
});
export type RunConfig = z.infer<typeof runConfig>;
