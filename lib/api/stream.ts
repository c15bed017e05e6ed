import type { RunDelta } from '../events/delta.ts';
import type { RunEvent } from '../events/registry.ts';

/**
 * An event as viewers receive it. Texts over 64 KB are truncated; `cuts` lists their dotted paths and full lengths. `GET
 * /api/runs/{id}/events/{seq}` returns the full event.
 */
export type ViewEvent = RunEvent & { cuts?: { path: string; chars: number }[] };

/** A delta in the stream: `event: delta`, without an ID. */
export type ViewDelta = RunDelta & { run_id: string };

/** A deleted run in the stream: `event: run-deleted`, without an ID. */
export interface RunDeleted {
  run_id: string;
}
