import { z } from 'zod';
import { optionalSettings, type RunConfig, type RunMode } from '../events/config.ts';
import { MAX_MESSAGE_CHARS, MAX_PATH_CHARS } from '../events/limits.ts';
import { optionValue } from '../events/setting-values.ts';
import { FORK_SETTINGS } from '../events/settings.ts';
import type { JsonObject } from '../util/json.ts';
import { formatCount } from '../util/numbers.ts';
import { createRunRequest } from './create-run.ts';
import { forkPlace } from './fork-place.ts';
import { modelOptionProblems } from './named-options.ts';
import type { RunSummary } from './run-summary.ts';

const { shape } = createRunRequest;

/** Longer texts are truncated and cannot be edited. */
export const MAX_EDITED_CHARS = 200_000;
const text = z
  .string()
  .max(MAX_EDITED_CHARS, `At most ${formatCount(MAX_EDITED_CHARS)} characters can be edited.`);

/** Settings that a fork can change; missing ones are inherited. */
const forkSettings = z
  .strictObject({
    model: shape.model.optional(),
    /** Merged into the run's options; `null` removes one. */
    model_options: z.record(z.string(), z.union([...optionValue.options, z.null()])).optional(),
    // `budget` replaces the whole budget; `{}` removes it.
    ...optionalSettings(FORK_SETTINGS),
  })
  .superRefine((settings, context) => {
    for (const message of modelOptionProblems(settings)) {
      context.addIssue({ code: 'custom', path: ['model_options'], message });
    }
  });
export type ForkSettings = z.infer<typeof forkSettings>;

/** Body of `POST /api/runs/{id}/fork`. */
export const forkRequest = z.strictObject({
  at: forkPlace,
  edits: z
    .array(
      z.discriminatedUnion('target', [
        /** Replaces the `content` of message `index`, counted from 0. */
        z.strictObject({ target: z.literal('message'), index: z.int().nonnegative(), content: text }),
        /** The last reply that was read but not yet answered. */
        z.strictObject({ target: z.literal('reply'), content: text }),
        /** A pending call: run with these arguments, which are validated against the tool's schema. */
        z.strictObject({
          target: z.literal('call'),
          call_id: z.string().min(1).max(200),
          arguments: z.record(z.string(), z.json()),
        }),
        /** A memory of an exploration, which may be empty; `null` deletes it. */
        z.strictObject({
          target: z.literal('memory'),
          key: z.string().min(1).max(1000),
          value: text.nullable(),
        }),
      ]),
    )
    .max(50)
    .default([]),
  settings: forkSettings.default({}),
  /** Sent to the fork when it starts, like `POST /api/runs/{id}/messages`. */
  message: z.string().trim().min(1).max(MAX_MESSAGE_CHARS).optional(),
  /**
   * `copy`: a copy of the current files in a new folder; `same`: the original folder; `empty`: a new empty folder.
   * Default: `copy`, but `empty` for an imported run, because its file could name any folder of this machine.
   */
  workspace: z.enum(['copy', 'same', 'empty']).optional(),
  /** The folder to copy, as the confirmation required for an imported run. */
  copy_from: z.string().max(MAX_PATH_CHARS).optional(),
  title: shape.title,
});
export type ForkRequest = z.input<typeof forkRequest>;
export type ForkPlan = z.output<typeof forkRequest>;

/** An editable text; if it is too long, it is truncated and `chars` is its full length. */
export interface EditableText {
  text: string;
  chars?: number;
}

/** A call with editable arguments; if they are too long, `chars` is set instead. */
export interface ForkCall {
  call_id: string;
  tool: string;
  arguments?: JsonObject;
  chars?: number;
  parameters?: { properties?: Record<string, { type?: unknown }> };
}

/** The state at a fork point (`GET /api/runs/{id}/fork`). */
export interface ForkDraftReply {
  /** The last event that a fork would copy. */
  seq: number;
  mode: RunMode;
  attempt: number;
  /** The current iteration; 0 before the first. */
  iteration: number;
  cycle: number;
  /** `calls`: the names of the calls in a reply. */
  messages: ({ index: number; role: string; tool_name?: string; calls?: string[] } & EditableText)[];
  /** The reply not answered yet, with the names of its calls. */
  reply?: EditableText & { calls: string[] };
  /** Calls that have not started, with their tools' schemas. */
  calls: ForkCall[];
  memory: ({ key: string } & EditableText)[];
  config: RunConfig;
}

/** The parent of a run and its forks (`GET /api/runs/{id}/forks`). */
export interface ForksReply {
  /** The run it was forked from; missing if there is none or it was deleted. */
  parent?: RunSummary;
  /** Runs forked from the same parent, including this one, oldest first. */
  siblings: RunSummary[];
  /** Runs forked from this one, oldest first. */
  forks: RunSummary[];
}
