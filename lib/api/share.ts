import { z } from 'zod';

/** How much of a run a link shows. */
export const shareScope = z.enum(['summary', 'without_results', 'everything']);
export type ShareScope = z.infer<typeof shareScope>;

const DAY_MS = 86_400_000;
const DEFAULT_SHARE_MS = 7 * DAY_MS;
const MAX_SHARE_MS = 365 * DAY_MS;

/** What the dialog asks for (`POST /api/runs/{id}/shares`, and its preview). */
export const shareRequest = z.strictObject({
  scope: shareScope.default('everything'),
  /** `true`: the link follows the run; `false`: it shows the run as it stands at this moment. */
  live: z.boolean().default(true),
  /** How long the link is good, in milliseconds. */
  expires_in_ms: z.int().min(1000).max(MAX_SHARE_MS).default(DEFAULT_SHARE_MS),
  /** Kinds of findings that stay readable; everything else that is found is masked. */
  show: z.array(z.string().max(60)).max(100).default([]),
});
export type ShareRequest = z.infer<typeof shareRequest>;
/** As a caller may write it, with what has a default left out. */
export type ShareDraft = z.input<typeof shareRequest>;

/** A link as it is stored: never its token, only the token's SHA-256 in hex. Times in milliseconds since 1970. */
export const shareRecord = z.object({
  id: z.string(),
  run_id: z.string(),
  token_hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** The title of the run, masked as the page is: the list shows it when the run is gone. */
  title: z.string(),
  scope: shareScope,
  show: z.array(z.string()),
  /** The last event that is shown; missing: the link follows the run. */
  until_seq: z.int().positive().optional(),
  created_at: z.int().nonnegative(),
  expires_at: z.int().nonnegative(),
  revoked_at: z.int().nonnegative().optional(),
  /** How often the page was opened. */
  views: z.int().nonnegative(),
  last_viewed_at: z.int().nonnegative().optional(),
});
export type ShareRecord = z.infer<typeof shareRecord>;

export type ShareStatus = 'active' | 'expired' | 'revoked';

/** A link as the list shows it. */
export type Share = Omit<ShareRecord, 'token_hash'> & {
  status: ShareStatus;
  /** The address, as long as this process knows the token: it is stored nowhere. */
  url?: string;
};

/** Where links lead, and who can reach it. */
export interface ShareReach {
  /** `off` until the first link is made. */
  listening: boolean;
  /** The beginning of every link: `http://127.0.0.1:4121`. */
  base_url: string;
  /** `loopback`: this machine alone. `network`: what the address says. `given`: LOUPE_SHARE_URL says where. */
  from: 'loopback' | 'network' | 'given';
  /** Why the listener could not be opened, and what to do. */
  problem?: { message: string; hint?: string };
}

export interface ShareListReply {
  shares: Share[];
  reach: ShareReach;
}

export interface ShareReply {
  share: Share;
  reach: ShareReach;
}

/** One kind of thing that was found in a run. */
export interface ShareFinding {
  kind: string;
  group: 'secret' | 'e-mail' | 'path' | 'address' | 'environment';
  /** Distinct values, and places in all. */
  values: number;
  places: number;
  /** Sequence numbers of the first events it stands in. */
  seqs: number[];
  /** The beginning and the end of the first value. */
  hint: string;
  /** Left readable, as was asked for. */
  shown: boolean;
  /** May be left readable at all: the operator token may not. */
  showable: boolean;
}

/** What the other side will see, and what was found on the way (`POST /api/runs/{id}/shares/preview`). */
export interface SharePreviewReply {
  findings: ShareFinding[];
  /** Values that are masked. */
  masked: number;
  /** Events in all; `events` holds the first of them, exactly as they are sent. */
  total: number;
  events: unknown[];
  reach: ShareReach;
}
