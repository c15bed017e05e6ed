import { z } from 'zod';
import { budget, check, thinkSetting, tier } from '../events/config.ts';

/**
 * Body of `POST /api/runs`. What is left out takes its default when the run is made (`resolveConfig`). Unknown fields
 * are refused, so that a misspelt option never passes in silence.
 */
export const createRunRequest = z.strictObject({
  mode: z.enum(['task']).default('task'),
  /** `false` asks for one streamed answer without tools (T10). */
  agentic: z.boolean().default(true),
  task: z.string().trim().min(1, 'Say what the agent should do.').max(200_000),
  model: z.string().trim().min(1, 'Choose a model.').max(300),
  /** Absolute path of an existing folder; left out: a fresh folder under the data directory (K-33). */
  workspace: z.string().min(1).max(4096).optional(),
  system: z.string().max(100_000).optional(),
  tier: tier.default('standard'),
  max_iterations: z.int().min(1).max(100).optional(),
  window_tokens: z.int().min(256).max(2_000_000).optional(),
  stall_guard: z.boolean().optional(),
  nudge_plans: z.boolean().optional(),
  budget: budget.optional(),
  checks: z.array(check).max(20).optional(),
  max_attempts: z.int().min(1).max(10).optional(),
  live_tokens: z.boolean().optional(),
  think: thinkSetting.optional(),
  keep_alive: z.union([z.string(), z.number()]).optional(),
  call_timeout_seconds: z.number().positive().max(86_400).optional(),
  load_timeout_seconds: z.number().positive().max(86_400).optional(),
  num_predict: z.tuple([z.int().positive(), z.int().positive()]).optional(),
  compact_at: z.number().min(0.1).max(1).optional(),
  result_chars: z.int().min(200).max(1_000_000).optional(),
  model_options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])).optional(),
});
export type CreateRunRequest = z.input<typeof createRunRequest>;
/** A request that was checked, with its defaults. */
export type NewRun = z.output<typeof createRunRequest>;

/** Body of `POST /api/runs/{id}/stop`: after the step in hand, or at once. */
export const stopRunRequest = z.strictObject({ force: z.boolean().default(false) });
