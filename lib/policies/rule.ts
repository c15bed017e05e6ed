import type { RunConfig } from '../events/config.ts';
import type { NewEvent } from '../events/registry.ts';
import type { TerminationReason } from '../events/run.ts';
import type { RunState } from '../events/run-state.ts';

/** An error as the result and its reader see it. */
export interface ErrorShape {
  code: string;
  message: string;
  hint?: string;
}

/** How an attempt ends. */
export interface Ending {
  reason: TerminationReason;
  /** Set when a failure was the cause. */
  error?: ErrorShape;
  /** The reason in a sentence; left out, the one that every mode has for it. */
  message?: string;
  /** Appended before the end. */
  warnings?: readonly NewEvent[];
}

/**
 * What a rule wants: end the attempt; append something and go on (after a pause, when `waitMs` says so); or have the last
 * reflection compared with earlier ones by a model (X21).
 */
export type Verdict = Decision | { type: 'compare-reflections'; model: string; cycle: number };

/** A verdict that needs nothing from outside. */
export type Decision =
  | { type: 'end'; ending: Ending }
  | { type: 'append'; events: readonly NewEvent[]; waitMs?: number };

/** The state of a run whose log has begun: its configuration is known. */
export type ReadyState = RunState & { readonly config: RunConfig };

/** One pure look at a run; `undefined` when the rule has nothing to say. */
export type Rule = (state: ReadyState) => Verdict | undefined;

/** The verdict that ends the attempt for a reason. */
export function ended(reason: TerminationReason, details: Omit<Ending, 'reason'> = {}): Decision {
  return { type: 'end', ending: { reason, ...details } };
}

/** Whether the log has begun, so that rules may look at it. */
export function isReady(state: RunState): state is ReadyState {
  return state.config !== undefined;
}
