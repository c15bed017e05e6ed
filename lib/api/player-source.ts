import type { ShownEvent } from '../events/fold-timeline.ts';

/** What is said about a run that is shown outside of its dashboard. */
export interface SharedNote {
  /** How much of the run is in it. */
  scope?: 'everything' | 'without_results' | 'summary';
  /** How many values were masked; 0: it was looked through and nothing was found; left out: it was not looked through. */
  redacted?: number;
  /** The run is shown as it stood then, in milliseconds since 1970. */
  frozen_at?: number;
  /** When the link ends, in milliseconds since 1970. */
  expires_at?: number;
}

/**
 * What the player shows, as it stands in the page in `<script type="application/json" id="loupe-source">`: a log, numbered
 * from 1 without a gap, or a run to follow.
 *
 * `url` is the link the run was shared by, relative to the page. Below it: `/events`, a stream with `id: seq`;
 * `/events/SEQ`, an event whole; `/status`, whether the link is still good. A log without one is a file of its own.
 */
export type PlayerSource =
  | { kind: 'log'; events: readonly ShownEvent[]; shared?: SharedNote; url?: string }
  | { kind: 'live'; url: string; shared?: SharedNote };
