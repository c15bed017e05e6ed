import type { RunDelta } from '../events/delta.ts';
import type { RunEvent } from '../events/registry.ts';

/**
 * The heartbeat interval of the dashboard's stream, in milliseconds. A browser notices immediately when a server is
 * killed, but notices a frozen or unplugged one only by missing heartbeats (decision 55).
 */
export const STREAM_HEARTBEAT_MS = 1000;

/** A stream that is silent for this long counts as lost: two heartbeats, and time for a busy machine. */
export const STREAM_SILENCE_MS = 2500;

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
