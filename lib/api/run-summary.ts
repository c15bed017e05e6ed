import type { RunMode } from '../events/modes.ts';
import type { RunPhase } from '../events/run-phase.ts';
import type { Outcome, TerminationReason, VerificationOutcome } from '../events/termination.ts';
import type { RunAnnotations } from './run-annotations.ts';

/** One row of the run list (`GET /api/runs`), updated in the store with each append. */
export interface RunSummary {
  id: string;
  mode: RunMode;
  agentic: boolean;
  model: string;
  /** The title that a person gave, else the given name, else the start of the task, else the mode; at most 200 characters. */
  title: string;
  phase: RunPhase;
  /** Milliseconds since 1970. */
  created_at: number;
  started_at?: number;
  ended_at?: number;
  updated_at: number;
  /**
   * The run's duration: how long it worked until `updated_at`, in milliseconds. Time in the queue or waiting for the
   * operator or the model server does not count (`workedMs`). Missing until it starts.
   */
  worked_ms?: number;
  termination_reason?: TerminationReason;
  /** The reason in one sentence. */
  message?: string;
  /** Over all attempts. In a session they include the summaries for handovers, which are no turns. */
  iterations_used: number;
  /** 0: no limit. */
  max_iterations: number;
  /** Turns ended; 0 except in sessions. */
  turns: number;
  /** Cycles started; 0 except in explorations. */
  cycles: number;
  tokens_in: number;
  tokens_out: number;
  /** How many of these are estimates, for calls that failed midway; missing: none. */
  tokens_estimated?: number;
  tool_calls: number;
  /** In US dollars; missing if the model had no price when the run was created. */
  cost_usd?: number;
  verification?: VerificationOutcome;
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
  /** The first run of its family, or its experiment: forks and the runs of an experiment share it. Missing: the run's own ID. */
  family?: string;
  /** The person's folder that the run worked in, or on a copy of; missing if the run had its own folder, or none. */
  folder?: string;
  /** A person's annotations. */
  annotations?: RunAnnotations;
  /** Position in the model server's queue, from 1; only while queued. */
  queue_position?: number;
  /** Estimated start in milliseconds since 1970; missing without enough data. */
  queue_expected_at?: number;
}

/** The stored data of a run besides its log. */
export type RunExtras = Pick<RunSummary, 'family' | 'folder' | 'annotations'>;

/** A summary made of a log, with what the store knows besides. Pure. */
export function withExtras(summary: RunSummary, extras: RunExtras): RunSummary {
  const title = extras.annotations?.title;
  return { ...summary, ...extras, ...(title === undefined ? {} : { title }) };
}

/** The family of a run: the run itself, unless it belongs to another one. */
export function familyOf({ id, family }: Pick<RunSummary, 'id' | 'family'>): string {
  return family ?? id;
}
