import { createStore } from 'zustand/vanilla';
import type { DeletedReply } from '../../api/replies.ts';
import { postJson } from '../api.ts';

/** The runs that were deleted last in this tab and can still be restored. */
export interface Deletion {
  readonly runs: readonly string[];
  /** In milliseconds since 1970, by the server's clock. */
  readonly undoUntil: number;
}

export const deletions = createStore<{ readonly last: Deletion | undefined }>(() => ({ last: undefined }));

/** Deletes runs, so that they can be restored for a while. @throws {ApiError} */
export async function deleteRuns(runs: readonly string[]): Promise<void> {
  const { deleted, undo_until } = await postJson<DeletedReply>('/api/selection/delete', { runs });
  deletions.setState({ last: { runs: deleted, undoUntil: undo_until } });
}

/** Brings back the runs of a deletion. @throws {ApiError} */
export async function undoDeletion(deletion: Deletion): Promise<void> {
  await postJson('/api/selection/restore', { runs: deletion.runs });
  // More may have been deleted meanwhile, which can still be restored.
  settleDeletion(deletion);
}

/** Call when a deletion can no longer be undone. */
export function settleDeletion(deletion: Deletion): void {
  if (deletions.getState().last === deletion) deletions.setState({ last: undefined });
}
