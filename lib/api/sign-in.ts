import { z } from 'zod';
import { SHA256_HEX } from '../util/byte-patterns.ts';

/** Query parameter of a download, because a navigation cannot send the header. */
export const TICKET_PARAMETER = 'ticket';

/** How long a sign-in is valid, in milliseconds. */
export const SIGN_IN_MS = 30 * 86_400_000;

const sha256 = z.string().regex(SHA256_HEX);

/**
 * A signed-in browser as stored: only hashes of its two secrets, keyed with the operator token. Times in milliseconds
 * since 1970.
 */
export const signInRecord = z.object({
  id: z.string(),
  cookie_hash: sha256,
  key_hash: sha256,
  /** A label in fixed words: `Firefox on Linux`. */
  label: z.string(),
  created_at: z.int().nonnegative(),
  last_seen_at: z.int().nonnegative(),
});
export type SignInRecord = z.infer<typeof signInRecord>;

/** A signed-in browser in a list. */
export interface SignIn {
  id: string;
  label: string;
  created_at: number;
  /** Accurate to a minute. */
  last_seen_at: number;
  expires_at: number;
  /** Whether this is the caller's browser. */
  current: boolean;
}

/** Most recently seen first. */
export interface SignInListReply {
  sign_ins: SignIn[];
}

/** IDs of the ended sign-ins. */
export interface SignOutReply {
  signed_out: string[];
}

/** Room for the IDs of a selection, within what HTTP servers take as an address. */
const MAX_DOWNLOAD_PATH_CHARS = 14_000;

/** A path below `/api` to download (`POST /api/download-links`). */
export const downloadLinkRequest = z.strictObject({
  path: z
    .string()
    .max(MAX_DOWNLOAD_PATH_CHARS)
    .refine((path) => {
      const url = URL.parse(`http://loupe.invalid${path}`);
      return path.startsWith('/') && url?.hash === '' && url.pathname.startsWith('/api/');
    }, 'It must be a path below /api.'),
});

export interface DownloadLinkReply {
  /** The path with a ticket that is valid for 30 seconds. */
  path: string;
}
