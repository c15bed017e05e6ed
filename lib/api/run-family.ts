import type { OutcomeKind } from '../events/termination.ts';

/** Runs that belong together: a run with its forks and their forks, or the runs of an experiment. */
export interface RunFamily {
  runs: number;
  /** How many have not ended. */
  active: number;
  /** How many of those that ended have each outcome. */
  outcomes: Partial<Record<OutcomeKind, number>>;
  /** When the last one was created, in milliseconds since 1970. */
  latest_at: number;
  /** The experiment's name, if it is one. */
  experiment?: string;
}
