import type { RunReply } from '../api/replies.ts';
import type { RunEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';

/** Looks up stored runs. The parts of the service that change runs need no more than this of `StoredRuns`. */
export interface RunLookup {
  /** @throws {RunNotFoundError} */
  get(runId: string): Promise<RunReply>;
  /** The complete log as it is now, page by page. @throws {RunNotFoundError} also when the run is deleted meanwhile */
  log(runId: string): AsyncGenerator<RunEvent[]>;
  /** The state that the log of a run folds to. @throws {RunNotFoundError} */
  stateOf(runId: string): Promise<RunState>;
}
