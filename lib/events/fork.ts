import { z } from 'zod';
import { copiedFiles } from './copied-files.ts';
import { amount, envelope } from './envelope.ts';
import { chatMessage, toolDefinition } from './model-call.ts';

const callArguments = z.record(z.string(), z.json());

/** An edit of the copied part of a fork, with the previous value. */
const forkEdit = z.discriminatedUnion('target', [
  z.object({
    target: z.literal('message'),
    /** Index in the conversation at the fork, from 0. */
    index: z.int().nonnegative(),
    role: chatMessage.shape.role,
    /** Set for tool messages. */
    tool_name: z.string().optional(),
    before: z.string(),
    after: z.string(),
  }),
  /** The last parsed reply, not answered yet. */
  z.object({ target: z.literal('reply'), before: z.string(), after: z.string() }),
  /** The arguments of a call that had not started. */
  z.object({
    target: z.literal('call'),
    call_id: z.string(),
    tool: z.string(),
    before: callArguments,
    after: callArguments,
  }),
  /** A memory of an exploration. Missing `before`: it did not exist; missing `after`: it is deleted. */
  z.object({
    target: z.literal('memory'),
    key: z.string().min(1),
    before: z.string().optional(),
    after: z.string().optional(),
  }),
]);
export type ForkEdit = z.infer<typeof forkEdit>;

/**
 * Ends the copied part of a fork: every earlier event was copied from the run `from`, with its original time. From
 * here on the run is independent: no worker has taken it yet, and server and model are checked again.
 */
export const runForked = z.object({
  ...envelope,
  type: z.literal('run.forked'),
  /** The source run and the last copied event. */
  from: z.object({ run_id: z.string(), seq: z.int().positive() }),
  /** Current iteration and cycle at that point; 0 before the first. */
  iteration: z.int().nonnegative(),
  cycle: z.int().nonnegative(),
  edits: z.array(forkEdit),
  /** Settings changed in the fork, by configuration name; a missing side means not set. */
  settings: z.array(z.object({ name: z.string(), before: z.json().optional(), after: z.json().optional() })),
  /** The tools that the fork offers from here on, if they were changed. */
  tools: z.array(toolDefinition).optional(),
  /** The current reply text is kept and the conversation continues after it. */
  answered: z.boolean(),
  /**
   * The fork continues after the end of the source run: a reply whose calls did not run is discarded, and the guards'
   * counters (equal calls, iterations without a write, nudges, empty turns) are reset.
   */
  continues: z.literal(true).optional(),
  /** Cost of the copied part at the prices then in effect; missing if unknown. */
  cost_usd: amount.optional(),
  /** What happened to the workspace. A copy contains the files as of the copy, not as of the forked event. */
  files: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('none') }),
    z.object({ kind: z.literal('same') }),
    z.object({ kind: z.literal('empty') }),
    z.object({ kind: z.literal('copied'), from: z.string(), ...copiedFiles.shape }),
  ]),
  /** The log file of a session (S4). */
  log_path: z.string().optional(),
});
