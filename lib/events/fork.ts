import { z } from 'zod';
import { envelope } from './envelope.ts';

const callArguments = z.record(z.string(), z.json());

/** What a person changed in the copied part of a fork, with what stood there before. */
export const forkEdit = z.discriminatedUnion('target', [
  z.object({
    target: z.literal('message'),
    /** Place in the conversation at the fork, from 0. */
    index: z.int().nonnegative(),
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    /** Of a tool's message. */
    tool_name: z.string().optional(),
    before: z.string(),
    after: z.string(),
  }),
  /** The reply that was read last and is not answered yet. */
  z.object({ target: z.literal('reply'), before: z.string(), after: z.string() }),
  /** The arguments of a call that had not begun. */
  z.object({
    target: z.literal('call'),
    call_id: z.string(),
    tool: z.string(),
    before: callArguments,
    after: callArguments,
  }),
  /** A memory of an exploration; missing `before`: it was not there, missing `after`: it is deleted. */
  z.object({
    target: z.literal('memory'),
    key: z.string().min(1),
    before: z.string().optional(),
    after: z.string().optional(),
  }),
]);
export type ForkEdit = z.infer<typeof forkEdit>;

/**
 * The end of the copied part of a fork: every event before it was copied from the run `from`, with the time at which it
 * happened there. From here on the run is its own: nobody has taken it yet, and server and model are looked at anew.
 */
export const runForked = z.object({
  ...envelope,
  type: z.literal('run.forked'),
  /** The run it was made from, and the last event that was copied. */
  from: z.object({ run_id: z.string(), seq: z.int().positive() }),
  /** Iteration and cycle in hand there; 0 before the first. */
  iteration: z.int().nonnegative(),
  cycle: z.int().nonnegative(),
  edits: z.array(forkEdit),
  /** Settings in which the fork differs, by their name in the configuration; a missing side: it was not set. */
  settings: z.array(z.object({ name: z.string(), before: z.json().optional(), after: z.json().optional() })),
  /** The text in hand stands as said, and the conversation goes on after it: an answer is answered. */
  answered: z.boolean(),
  /**
   * A person goes on after the end: a reply that was not carried out is let go of, and what guards had counted towards the
   * end (equal calls, iterations without a file, nudges, empty turns) is counted anew.
   */
  continues: z.literal(true).optional(),
  /** What became of the workspace. A copy holds the files as they were when it was made, not as they were then. */
  files: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('none') }),
    z.object({ kind: z.literal('same') }),
    z.object({
      kind: z.literal('copied'),
      from: z.string(),
      files: z.int().nonnegative(),
      bytes: z.int().nonnegative(),
      /** Links, pipes and the like, which are not copied. */
      left_out: z.int().nonnegative(),
    }),
  ]),
  /** The log file of a session (S4). */
  log_path: z.string().optional(),
});
