import { z } from 'zod';
import { changedFile } from './changed-file.ts';
import { envelope } from './envelope.ts';

const callArguments = z.record(z.string(), z.json());

/**
 * Which calls an approval covers.
 *
 * - `once`: this call
 * - `run`: this call and later calls of the same tool in this run
 * - `tool_and_folder`: also calls of the same tool in later runs in the same folder, until it is revoked
 */
export const approvalScope = z.enum(['once', 'run', 'tool_and_folder']);
export type ApprovalScope = z.infer<typeof approvalScope>;

/**
 * A call waits for the operator's approval. As when a call starts, the reply becomes part of the conversation (T12).
 */
export const approvalRequested = z.object({
  ...envelope,
  type: z.literal('approval.requested'),
  call_id: z.string(),
  iteration: z.int().positive(),
  tool: z.string(),
  /** As written by the model. */
  arguments: callArguments,
  /** The file that the call would change, as it was when the call was requested. */
  file: changedFile.optional(),
  /** The scopes that the operator can choose. Missing in older logs: `once`. */
  scopes: z.array(approvalScope).optional(),
});

/**
 * The decision on a call: made once, by the operator, by an earlier approval that covers the call or, for a denial, by
 * the run's policy. A denied call never starts; its `tool-call.ended` tells the model why.
 */
export const approvalDecided = z.object({
  ...envelope,
  type: z.literal('approval.decided'),
  call_id: z.string(),
  tool: z.string(),
  decision: z.enum(['approved', 'edited', 'denied']),
  /** If edited: the arguments used instead of the model's. */
  arguments: callArguments.optional(),
  /** Why it was denied. */
  reason: z.string().optional(),
  /** The scope of an approval by the operator. Missing: `once`. */
  scope: approvalScope.optional(),
  by: z.enum(['operator', 'policy', 'standing-approval']),
  /** If an earlier approval covers the call: its scope and event, and the run it was made in if that may be another. */
  standing: z
    .object({
      scope: approvalScope.exclude(['once']),
      seq: z.int().positive(),
      run_id: z.string().optional(),
    })
    .optional(),
});
