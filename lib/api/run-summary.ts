import type { RunMode } from '../events/config.ts';
import type { RunPhase } from '../events/run-phase.ts';
import type { Outcome, TerminationReason } from '../events/termination.ts';

/** One row of the run list (`GET /api/runs`), updated in the store with each append. */
export interface RunSummary {
  id: string;
  mode: RunMode;
  agentic: boolean;
  model: string;
  /** The given name, else the start of the task, else the mode; at most 200 characters. */
  title: string;
  phase: RunPhase;
  /** Milliseconds since 1970. */
  created_at: number;
  started_at?: number;
  ended_at?: number;
  updated_at: number;
  termination_reason?: TerminationReason;
  /** The reason in one sentence. */
  message?: string;
  iterations_used: number;
  /** 0: no limit. */
  max_iterations: number;
  /** Cycles started; 0 except in explorations. */
  cycles: number;
  tokens_in: number;
  tokens_out: number;
  /** How many of these are estimates, for calls that failed midway; missing: none. */
  tokens_estimated?: number;
  tool_calls: number;
  /** In US dollars; missing if the model had no price when the run was created. */
  cost_usd?: number;
  verification?: 'pass' | 'partial_pass' | 'fail';
  /** The outcome; missing until the run has ended. */
  outcome?: Outcome;
  stop_requested: boolean;
  last_seq: number;
  /**
   * Set if the run was imported, with the time. It is read-only and has the phase `ended`, even if its log is incomplete.
   */
  imported_at?: number;
  /** The run it was forked from, and the last event copied from it. */
  parent?: { run_id: string; seq: number };
  /** Position in the model server's queue, from 1; only while queued. */
  queue_position?: number;
  /** Estimated start in milliseconds since 1970; missing without enough data. */
  queue_expected_at?: number;
}
