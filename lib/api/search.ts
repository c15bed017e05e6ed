import type { RunEventType } from '../events/registry.ts';
import type { RunSummary } from './run-summary.ts';

/** An event that contains all search words. */
export interface SearchHit {
  run_id: string;
  /** The event: `/runs/{run_id}#{seq}` opens the run there. */
  seq: number;
  /** Milliseconds since 1970. */
  at: number;
  type: RunEventType;
  /** The text around the first match, on one line. */
  text: string;
  /** The matches in `text`: from and to in UTF-16 units. They never overlap. */
  ranges: [from: number, to: number][];
}

/** The matches in one run. */
export interface FoundRun {
  run_id: string;
  /** Number of matching events. */
  places: number;
  /** Set if there may be more: only the latest 10,000 matches of all runs are scanned per page. */
  at_least?: true;
  /** The best few: the task, then the latest. */
  hits: SearchHit[];
}

/** Start of the next page: the position to search before, and the number of runs to skip from there. */
export interface FoundFrom {
  before: number;
  skip: number;
}

/** A page of results: runs whose task or title matches first, then those with the latest matches. */
export interface Found {
  runs: FoundRun[];
  /** Missing on the last page. */
  next?: FoundFrom;
  /** Stored events not indexed yet; 0 except shortly after a start with a large log. */
  behind: number;
}

/** Reply of `GET /api/search`. */
export interface SearchReply extends Omit<Found, 'runs' | 'next'> {
  /** A run may reappear on a later page, with earlier matches. */
  runs: (FoundRun & { run: RunSummary })[];
  /** Missing on the last page. */
  next?: string;
}
