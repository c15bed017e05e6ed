import type { RunConfig } from '../events/config.ts';
import type { NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import type { TerminationReason } from '../events/termination.ts';

/** An error as shown in the result. */
export interface ErrorShape {
  code: string;
  message: string;
  hint?: string;
}

/** How an attempt ends. */
export interface Ending {
  reason: TerminationReason;
  /** Set if a failure ended the attempt. */
  error?: ErrorShape;
  /** The reason as a sentence; defaults to the one common to all modes. */
  message?: string;
  /** Appended before the end. */
  warnings?: readonly NewEvent[];
}

/**
 * A rule's decision: end the attempt; append events and continue, after `waitMs` if set; or compare the last
 * reflection with earlier ones using a model (X21).
 */
export type Verdict = Decision | { type: 'compare-reflections'; model: string; cycle: number };

/** A verdict that needs no I/O. */
export type Decision = { type: 'end'; ending: Ending } | Appending;

/** Appends events and continues, after `waitMs` if set. */
export interface Appending {
  type: 'append';
  events: readonly NewEvent[];
  waitMs?: number;
}

/** The state of a run whose log has begun, so its configuration is known. */
export type ReadyState = RunState & { readonly config: RunConfig };

/** A pure check of a run's state; `undefined` if the rule does not apply. */
export type Rule = (state: ReadyState) => Verdict | undefined;

/** The verdict that ends the attempt for a reason. */
export function ended(reason: TerminationReason, details: Omit<Ending, 'reason'> = {}): Decision {
  return { type: 'end', ending: { reason, ...details } };
}

/** Whether the log has begun, so that rules can be applied. */
export function isReady(state: RunState): state is ReadyState {
  return state.config !== undefined;
}
