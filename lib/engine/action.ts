import type { NewEvent } from '../events/registry.ts';
import type { PendingCall } from '../events/run-state.ts';

/** The next step of a run. Performing it appends events that record what happened. */
export type Action =
  /** Nothing: the run has ended. */
  | { type: 'none' }
  /** Appends the events atomically, then waits for `waitMs`. A stop ends the wait. */
  | { type: 'append'; events: readonly NewEvent[]; waitMs?: number }
  /** Checks server, model and confinement (S1, S2). */
  | { type: 'check-model' }
  /** Waits until the model server is back, the run is stopped, or `limitMs` is over. */
  | { type: 'await-server'; limitMs: number }
  /** Loads the model with its window (K-25). */
  | { type: 'load-model'; numCtx: number }
  /** Starts a new conversation (V5). */
  | { type: 'open-attempt'; attempt: number }
  /** Appends the events, the last of which announces the call, and sends the request. */
  | { type: 'call-model'; events: readonly NewEvent[] }
  /**
   * Appends the events, then approves the call if an earlier approval covers it, or asks the operator about it and all
   * later calls of the reply that need approval.
   */
  | { type: 'ask-approval'; call: PendingCall; events: readonly NewEvent[] }
  /** Waits until the operator decides about the call or stops the run. */
  | { type: 'await-approval'; callId: string }
  /** Waits for a message, which may take days: the loop returns, and the run is resumed afterwards. */
  | { type: 'await-message' }
  /** Appends the intent, executes the call and appends its result. */
  | { type: 'execute-call'; call: PendingCall; events: readonly NewEvent[] }
  /** Asks the model that answers the agent's message in place of the operator. */
  | { type: 'ask-operator'; call: PendingCall }
  /** Compares the last reflection with earlier ones using an embedding model (X21). */
  | { type: 'compare-reflections'; model: string; cycle: number }
  /** Finds out whether the answer fits the run's `answer_schema`. */
  | { type: 'check-answer' }
  /** Runs the checks of the attempt (V11). */
  | { type: 'verify'; attempt: number };
