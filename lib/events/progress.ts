import { z } from 'zod';
import { outcome, terminationReason } from './termination.ts';

/**
 * The fields common to all progress events; `seq` is 1, 2, 3 … without gaps, `timestamp` in milliseconds since 1970
 * (E6, E9).
 */
const base = { run_id: z.string(), seq: z.int().positive(), timestamp: z.int().nonnegative() };
/** From 1; 0 before the first iteration. */
const iteration = z.int().nonnegative();
const shortSummary = z.string().max(200);

/**
 * Progress events: a small, stable view of a run for scripts, projected from its log (E1, E4, E7, E8). Arguments and
 * results are summaries; the log has the full data (E10).
 */
export const progressEvent = z.discriminatedUnion('type', [
  z.object({ ...base, type: z.literal('run_started'), model: z.string(), resumed: z.boolean() }),
  z.object({
    ...base,
    type: z.literal('iteration_started'),
    iteration,
    /** Missing if there is no limit. */
    limit: z.int().positive().optional(),
  }),
  z.object({
    ...base,
    type: z.literal('tool_call_started'),
    tool_name: z.string(),
    args_summary: shortSummary,
    iteration,
  }),
  z.object({
    ...base,
    type: z.literal('tool_call'),
    tool_name: z.string(),
    args_summary: shortSummary,
    result_summary: shortSummary,
    iteration,
  }),
  z.object({ ...base, type: z.literal('token'), text: z.string(), iteration }),
  z.object({ ...base, type: z.literal('thinking'), text: z.string(), iteration }),
  z.object({
    ...base,
    type: z.literal('nudge'),
    cause: z.string(),
    count: z.int().positive(),
    limit: z.int().nonnegative(),
    iteration,
  }),
  z.object({
    ...base,
    type: z.literal('retry'),
    cause: z.string(),
    message: z.string(),
    wait_ms: z.int().nonnegative(),
    iteration,
  }),
  z.object({
    ...base,
    type: z.literal('context_trimmed'),
    before_tokens: z.int().nonnegative(),
    after_tokens: z.int().nonnegative(),
    iteration,
  }),
  z.object({
    ...base,
    type: z.literal('budget'),
    tokens_used: z.int().nonnegative(),
    /** How many of them are estimates, from calls that failed while generating. */
    tokens_estimated: z.int().nonnegative().optional(),
    cost_usd: z.number().nonnegative().optional(),
    seconds_used: z.number().nonnegative(),
    exceeded: z.string().optional(),
    iteration,
  }),
  z.object({
    ...base,
    type: z.literal('status'),
    message: z.string(),
    code: z.string().optional(),
    iteration,
  }),
  /** A notice line as printed in a console; the model's own text arrives as `token` (S12). */
  z.object({ ...base, type: z.literal('notice'), text: z.string(), iteration }),
  z.object({
    ...base,
    type: z.literal('run_finished'),
    status: z.string(),
    termination_reason: terminationReason,
    /** The run's outcome; missing in older logs. */
    outcome: outcome.optional(),
    iterations_used: z.int().nonnegative(),
    message: z.string(),
  }),
]);
export type ProgressEvent = z.infer<typeof progressEvent>;
