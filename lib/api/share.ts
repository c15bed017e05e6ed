import { z } from 'zod';
import { SHARE_SCOPES } from '../events/share-scopes.ts';
import { SHA256_HEX } from '../util/byte-patterns.ts';

const shareScope = z.enum(SHARE_SCOPES);

const DAY_MS = 86_400_000;
const DEFAULT_SHARE_MS = 7 * DAY_MS;
const MAX_SHARE_MS = 365 * DAY_MS;

/** Settings of a link (`POST /api/runs/{id}/shares`, and its preview). */
export const shareRequest = z.strictObject({
  scope: shareScope.default('everything'),
  /** `true`: the link follows the run; `false`: it shows a snapshot of the run. */
  live: z.boolean().default(true),
  /** How long the link is valid, in milliseconds. */
  expires_in_ms: z.int().min(1000).max(MAX_SHARE_MS).default(DEFAULT_SHARE_MS),
  /** Kinds of findings to leave readable; all others are redacted. */
  show: z.array(z.string().max(60)).max(100).default([]),
});
export type ShareRequest = z.infer<typeof shareRequest>;
/** A request body, where fields with defaults are optional. */
export type ShareDraft = z.input<typeof shareRequest>;

/** A link as stored: without its token, only the token's SHA-256 in hex. Times in milliseconds since 1970. */
export const shareRecord = z.object({
  id: z.string(),
  run_id: z.string(),
  token_hash: z.string().regex(SHA256_HEX),
  /** The redacted title of the run, which the list still shows after the run was deleted. */
  title: z.string(),
  scope: shareScope,
  show: z.array(z.string()),
  /** The last event shown; missing: the link follows the run. */
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

/** A link in a list. */
export type Share = Omit<ShareRecord, 'token_hash'> & {
  status: ShareStatus;
  /** The URL, while this process knows the token, which is never stored. */
  url?: string;
};

/** The address of links, and who can reach it. */
export interface ShareReach {
  /** `false` until the first link is created. */
  listening: boolean;
  /** The base URL of links: `http://127.0.0.1:4121`. */
  base_url: string;
  /** `loopback`: only this machine. `network`: from the listener's address. `given`: from LOUPE_SHARE_URL. */
  from: 'loopback' | 'network' | 'given';
  /**
   * Addresses of this machine on which links can be opened to the network, and the one that is in use. Missing if
   * LOUPE_SHARE_BIND or LOUPE_SHARE_URL decide.
   */
  network?: { addresses: string[]; open?: string };
  /** Why the listener failed to start, and what to do about it. */
  problem?: { message: string; hint?: string };
}

/** Body of `POST /api/share-network`. */
export const networkRequest = z.strictObject({
  address: z.union([z.ipv4(), z.ipv6()], 'must be an IP address.'),
});

/** Reply to `POST` and `DELETE /api/share-network`. */
export interface NetworkReply {
  reach: ShareReach;
}

export interface ShareListReply {
  shares: Share[];
  reach: ShareReach;
}

export interface ShareReply {
  share: Share;
  reach: ShareReach;
}

/** One kind of finding in a run. */
export interface ShareFinding {
  kind: string;
  group: 'secret' | 'e-mail' | 'path' | 'address' | 'environment';
  /** Distinct values, and total occurrences. */
  values: number;
  places: number;
  /** Sequence numbers of the first events that contain it. */
  seqs: number[];
  /** The start and end of the first value. */
  hint: string;
  /** Whether it is left readable, as requested. */
  shown: boolean;
  /** Whether it may be left readable; the operator token may not. */
  showable: boolean;
}

/** The preview of a link, with the findings (`POST /api/runs/{id}/shares/preview`). */
export interface SharePreviewReply {
  findings: ShareFinding[];
  /** The number of redacted values. */
  masked: number;
  /** The number of images shown, in which nothing is masked. */
  images: number;
  /** The total number of events; `events` contains the first ones, exactly as sent. */
  total: number;
  events: unknown[];
  reach: ShareReach;
}
