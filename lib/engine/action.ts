import type { NewEvent } from '../events/registry.ts';
import type { PendingCall } from '../events/run-state.ts';

/** The next step of a run. Performing it appends events that record what happened. */
export type Action =
  /** Nothing: the run has ended. */
  | { type: 'none' }
  /** Appends the events atomically, then waits for `waitMs`, unless a stop comes. */
  | { type: 'append'; events: readonly NewEvent[]; waitMs?: number }
  /** Checks server, model and confinement (S1, S2). */
  | { type: 'check-model' }
  /** Loads the model with its window (K-25). */
  | { type: 'load-model'; numCtx: number }
  /** Starts a new conversation (V5). */
  | { type: 'open-attempt'; attempt: number }
  /** Appends the events, the last of which announces the call, and sends the request. */
  | { type: 'call-model'; events: readonly NewEvent[] }
  /** Waits until the operator decides about the call or stops the run, at most for `waitMs`. */
  | { type: 'await-approval'; callId: string; waitMs?: number }
  /** Appends the intent, executes the call and appends its result. */
  | { type: 'execute-call'; call: PendingCall; events: readonly NewEvent[] }
  /** Compares the last reflection with earlier ones using an embedding model (X21). */
  | { type: 'compare-reflections'; model: string; cycle: number }
  /** Runs the checks of the attempt (V11). */
  | { type: 'verify'; attempt: number };
