import { browserTransport } from './browser-transport.ts';
import { watchRuns, whenBack } from './hub-client.ts';

/** Calls back when a run is deleted, in this tab or elsewhere. Returns an unsubscribe function. */
export function watchDeletion(runId: string, onDeleted: () => void): () => void {
  let watching = true;
  const stop = watchRuns({
    runs: () => undefined,
    deleted: (deleted) => {
      if (deleted === runId) onDeleted();
    },
    signal: whenBack(
      () => {
        void browserTransport.askHead(runId).then((head) => {
          if (watching && head.kind === 'refused' && head.problem.code === 'run_not_found') onDeleted();
        });
      },
      // The run may be deleted between the end of its own stream and the beginning of this one.
      { missed: true },
    ),
  });
  return () => {
    watching = false;
    stop();
  };
}
