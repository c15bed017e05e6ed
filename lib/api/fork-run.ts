import { z } from 'zod';
import { budget, exploreSettings, type RunConfig, type RunMode, thinkSetting } from '../events/config.ts';
import type { JsonObject } from '../util/json.ts';
import { createRunRequest } from './create-run.ts';
import type { RunSummary } from './run-summary.ts';

const { shape } = createRunRequest;

/** Longer texts are shown in part and cannot be edited. */
export const MAX_EDITED_CHARS = 200_000;
const text = z.string().max(MAX_EDITED_CHARS, `At most ${MAX_EDITED_CHARS} characters can be edited.`);

/**
 * Where a run is forked: after the event `seq`; or before an iteration (of the last attempt that has it, unless one is
 * named); or before a cycle of an exploration; or before a call of a tool;
 * or at its end, which is the last place where nothing was under way.
 */
export const forkPlace = z.union([
  z.strictObject({ seq: z.int().positive() }),
  z.strictObject({ before_iteration: z.int().positive(), attempt: z.int().positive().optional() }),
  z.strictObject({ before_cycle: z.int().positive() }),
  z.strictObject({ before_call: z.string().min(1).max(200) }),
  z.strictObject({ end: z.literal(true) }),
]);
export type ForkPlace = z.infer<typeof forkPlace>;

/** Settings that a fork may have otherwise; what is left out stays as it is. */
export const forkSettings = z.strictObject({
  model: shape.model.optional(),
  /** Merged into those of the run; `null` takes one away. */
  model_options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])).optional(),
  think: thinkSetting.optional(),
  max_iterations: z.int().min(1).max(100).optional(),
  max_attempts: shape.max_attempts,
  window_tokens: shape.window_tokens,
  num_predict: shape.num_predict,
  stall_guard: shape.stall_guard,
  nudge_plans: shape.nudge_plans,
  live_tokens: shape.live_tokens,
  call_timeout_seconds: shape.call_timeout_seconds,
  /** In place of the whole budget; `{}` takes it away. */
  budget: budget.optional(),
  max_cycles: exploreSettings.shape.max_cycles.optional(),
  calls_per_cycle: exploreSettings.shape.calls_per_cycle.optional(),
  context_limit: shape.context_limit,
  turn_delay: shape.turn_delay,
});
export type ForkSettings = z.infer<typeof forkSettings>;

/** Body of `POST /api/runs/{id}/fork`. */
export const forkRequest = z.strictObject({
  at: forkPlace,
  edits: z
    .array(
      z.discriminatedUnion('target', [
        /** A message of the conversation: `index` counts from 0, `content` takes the place of what stands there. */
        z.strictObject({ target: z.literal('message'), index: z.int().nonnegative(), content: text }),
        /** The reply that was read last and is not answered yet. */
        z.strictObject({ target: z.literal('reply'), content: text }),
        /** A call that has not begun there: run with these arguments, which are checked against the tool's schema. */
        z.strictObject({
          target: z.literal('call'),
          call_id: z.string().min(1).max(200),
          arguments: z.record(z.string(), z.json()),
        }),
        /** A memory of an exploration; `null` deletes it. */
        z.strictObject({
          target: z.literal('memory'),
          key: z.string().min(1).max(1000),
          value: text.min(1).nullable(),
        }),
      ]),
    )
    .max(50)
    .default([]),
  settings: forkSettings.default({}),
  /** Said to the fork as it begins, as by `POST /api/runs/{id}/messages`. */
  message: z.string().trim().min(1).max(8000).optional(),
  /** `copy`: a copy of the files as they are now, in a fresh folder; `same`: the folder of the other run itself. */
  workspace: z.enum(['copy', 'same']).default('copy'),
  title: shape.title,
});
export type ForkRequest = z.input<typeof forkRequest>;
export type ForkPlan = z.output<typeof forkRequest>;

/** A text that can be edited; `chars` tells the whole length when it is too long for that and shown in part. */
export interface EditableText {
  text: string;
  chars?: number;
}

/** A call whose arguments can be edited; `chars` is set in place of arguments that are too long for it. */
export interface ForkCall {
  call_id: string;
  tool: string;
  arguments?: JsonObject;
  chars?: number;
  parameters?: { properties?: Record<string, { type?: unknown }> };
}

/** What stands at a place where a run can be forked (`GET /api/runs/{id}/fork`). */
export interface ForkDraftReply {
  /** The last event that a fork would copy. */
  seq: number;
  mode: RunMode;
  attempt: number;
  /** In hand there; 0 before the first. */
  iteration: number;
  cycle: number;
  /** `calls`: the names of the calls that a reply asks for. */
  messages: ({ index: number; role: string; tool_name?: string; calls?: string[] } & EditableText)[];
  /** The reply that is read and not answered yet, with the names of the calls it asks for. */
  reply?: EditableText & { calls: string[] };
  /** Calls that have not begun there, with the schema of their tool. */
  calls: ForkCall[];
  memory: ({ key: string } & EditableText)[];
  config: RunConfig;
}

/** Where a run comes from and what was made from it (`GET /api/runs/{id}/forks`). */
export interface ForksReply {
  /** The run it was forked from; missing when it was not, or when that run is no longer there. */
  parent?: RunSummary;
  /** Runs that were forked from the same parent, this one among them, oldest first. */
  siblings: RunSummary[];
  /** Runs that were forked from this one, oldest first. */
  forks: RunSummary[];
}
