import type { RunMode } from '../events/config.ts';
import type { TerminationReason } from '../events/run.ts';
import type { RunPhase } from '../events/run-state.ts';

/** One row of the run list: what `GET /api/runs` answers, kept up to date in the store with each append. */
export interface RunSummary {
  id: string;
  mode: RunMode;
  agentic: boolean;
  model: string;
  /** The name given, else the beginning of the task, else the mode; at most 200 characters. */
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
  /** 0: no such limit. */
  max_iterations: number;
  /** Cycles that were begun; 0 in other modes than explorations. */
  cycles: number;
  tokens_in: number;
  tokens_out: number;
  tool_calls: number;
  verification?: 'pass' | 'partial_pass' | 'fail';
  stop_requested: boolean;
  last_seq: number;
  /** The run came as a file, at this time: it is only read, also when its log ends before it did (phase `ended`). */
  imported_at?: number;
  /** The run it was forked from, and the last event that was copied from there. */
  parent?: { run_id: string; seq: number };
  /** Place in the queue of the model server, from 1; only while queued. */
  queue_position?: number;
  /** When it may get its place, in milliseconds since 1970: an estimate; left out where there is too little to go by. */
  queue_expected_at?: number;
}
