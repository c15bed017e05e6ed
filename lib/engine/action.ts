import type { NewEvent } from '../events/registry.ts';
import type { PendingCall } from '../events/run-state.ts';

/** The one next thing to do. Whatever it does, it appends what happened. */
export type Action =
  /** Nothing: the run has ended. */
  | { type: 'none' }
  /** Appends the events together; with `waitMs` pauses afterwards, unless a stop comes. */
  | { type: 'append'; events: readonly NewEvent[]; waitMs?: number }
  /** Looks at server, model and confinement (S1, S2). */
  | { type: 'check-model' }
  /** Loads the model with its window (K-25). */
  | { type: 'load-model'; numCtx: number }
  /** Begins a fresh conversation (V5). */
  | { type: 'open-attempt'; attempt: number }
  /** Appends the events, the last of which announces the call, and sends the request. */
  | { type: 'call-model'; events: readonly NewEvent[] }
  /** Waits until the log changes: a person decides about the call, or stops the run. At most this long. */
  | { type: 'await-approval'; callId: string; waitMs?: number }
  /** Appends the intent, executes the call and appends its result. */
  | { type: 'execute-call'; call: PendingCall; events: readonly NewEvent[] }
  /** Has the last reflection compared with earlier ones by an embedding model (X21). */
  | { type: 'compare-reflections'; model: string; cycle: number }
  /** Runs the checks of the attempt (V11). */
  | { type: 'verify'; attempt: number };
