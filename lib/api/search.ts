import type { RunEventType } from '../events/registry.ts';
import type { RunSummary } from './run-summary.ts';

/** An event that holds all words that were looked for. */
export interface SearchHit {
  run_id: string;
  /** The event: `/runs/{run_id}#{seq}` opens the run there. */
  seq: number;
  /** Milliseconds since 1970. */
  at: number;
  type: RunEventType;
  /** The stretch of the event's text around the first word, with blanks for line ends. */
  text: string;
  /** Where the words stand in `text`: from and to, in UTF-16 units. They never overlap. */
  ranges: [from: number, to: number][];
}

/** What was found in one run. */
export interface FoundRun {
  run_id: string;
  /** Events that hold all the words. */
  places: number;
  /** There may be more: only the latest 10 000 places of all runs are looked through for a page. */
  at_least?: true;
  /** The best few: the task, then the latest. */
  hits: SearchHit[];
}

/** Where the next page begins: before a place, after so many of the runs that are found from there. */
export interface FoundFrom {
  before: number;
  skip: number;
}

/** A page of what was found: the runs that are about the words first, then those in which the words stand latest. */
export interface Found {
  runs: FoundRun[];
  /** Missing on the last page. */
  next?: FoundFrom;
  /** Events that are stored and not searched yet; 0 but for moments after a start with a large log. */
  behind: number;
}

/** What `GET /api/search` answers. */
export interface SearchReply extends Omit<Found, 'runs' | 'next'> {
  /** A run may come again on a later page, with earlier places. */
  runs: (FoundRun & { run: RunSummary })[];
  /** Missing on the last page. */
  next?: string;
}
