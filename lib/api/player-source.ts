import type { ShareScope } from '../events/share-scopes.ts';
import type { ShownEvent } from '../events/timeline.ts';

/** Facts about a shared run that is shown outside the dashboard. */
export interface SharedNote {
  /** How much of the run is included. */
  scope?: ShareScope;
  /** The number of redacted values; 0: nothing was found; missing: not redacted. */
  redacted?: number;
  /** The time of the snapshot, in milliseconds since 1970. */
  frozen_at?: number;
  /** When the link expires, in milliseconds since 1970. */
  expires_at?: number;
}

/**
 * The player's data, in the page as `<script type="application/json" id="loupe-source">`: a log, numbered from 1 without
 * gaps, or a run to follow.
 *
 * `url` is the share link, relative to the page. Below it: `/events`, a stream with `id: seq`; `/events/SEQ`, a full
 * event; `/images/HASH`, an image; `/status`, whether the link is still valid. A log without `url` is a standalone file.
 */
export type PlayerSource =
  | {
      kind: 'log';
      events: readonly ShownEvent[];
      shared?: SharedNote;
      url?: string;
      /** The images of the events as `data:` URLs, by hash, where they are part of the page. */
      images?: Readonly<Record<string, string>>;
    }
  | { kind: 'live'; url: string; shared?: SharedNote };
