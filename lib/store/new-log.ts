import { summarizeRun } from '../api/summarize-run.ts';
import { runCreated } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { steadyNow } from '../util/steady-clock.ts';
import type { StoredImage } from './image-store.ts';
import { toEventRow } from './import-run.ts';
import type { LogGrowth } from './log-growth.ts';
import type { RunPlace } from './run-row.ts';
import type { CreatedLog, NewRunLog } from './run-store.ts';

/** The beginning of a log, as a store inserts it. */
export type LogBeginning = Pick<LogGrowth, 'rows' | 'summary'>;

/** A run to insert, in plain data that can be sent to another thread. */
export interface RunToInsert extends RunPlace {
  idempotencyKey?: string;
  worker?: string;
  images?: readonly StoredImage[];
  beginning: LogBeginning;
}

/**
 * Creates a run with its first event, unless its idempotency key has already created one.
 *
 * @param insert returns the ID of the run that the key has created, or of the new one
 * @throws {ZodError} for a configuration that could not be read back
 */
export async function createLog(
  run: NewRunLog,
  insert: (run: RunToInsert) => Promise<string>,
): Promise<CreatedLog> {
  const { id, config, copied, parent, idempotencyKey, worker, family, folder, images } = run;
  const place = { run_id: id, seq: 1, at: steadyNow() };
  const first = runCreated.parse({ type: 'run.created', config, copied, parent, ...place });
  const state = foldAll(emptyRunState(id), [first]);
  const beginning = { rows: [toEventRow(first)], summary: summarizeRun(state) };
  const runId = await insert({ idempotencyKey, worker, family, folder, images, beginning });
  return runId === id ? { runId, created: true, first, state } : { runId, created: false };
}

/** The beginning of a log from checked events. */
export function beginningOf(runId: string, events: readonly RunEvent[]): LogBeginning {
  return { rows: events.map(toEventRow), summary: summarizeRun(foldAll(emptyRunState(runId), events)) };
}
