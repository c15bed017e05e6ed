import { z } from 'zod';
import { MAX_PATH_CHARS } from '../events/limits.ts';

/**
 * A file of a run as it is now: as the run left it, as it was before the run, or different from both. `unknown` if it
 * cannot be read, or is too large to compare.
 */
export type FileState = 'as_left' | 'as_before' | 'changed' | 'missing' | 'unknown';

export interface ChangedFile {
  /** From the workspace, with `/`. */
  path: string;
  /** How many calls wrote it. */
  calls: number;
  state: FileState;
  /** Whether the log has what the file held before. */
  kept: boolean;
  /** Whether it can be reverted now. */
  revertible: boolean;
}

/** Reply to `GET /api/runs/{id}/files`. */
export interface ChangedFilesReply {
  workspace: string;
  files: ChangedFile[];
  /** Why no file can be reverted now; missing if nothing is in the way. */
  refused?: {
    code: string;
    message: string;
    hint?: string;
    /** The run that works in the folder, if that is why. */
    run_id?: string;
  };
}

/** Body of `POST /api/runs/{id}/files/revert`. */
export const revertRequest = z.strictObject({
  /** Default: all changed files. */
  paths: z.array(z.string().min(1).max(MAX_PATH_CHARS)).min(1).max(10_000).optional(),
});
export type RevertRequest = z.infer<typeof revertRequest>;

/** Reply to `POST /api/runs/{id}/files/revert`. */
export interface RevertReply extends ChangedFilesReply {
  /** Files that are now as they were before the run, and were not until then. */
  reverted: string[];
  /** Files that were left as they are, and why, such as because they were as before already. */
  left: { path: string; message: string }[];
}
