import type { ShareRecord } from '../api/share.ts';

/** Reads share links. */
export interface ShareReader {
  /** All share links, the newest first. */
  shares(): Promise<ShareRecord[]>;
  /** The link whose token has this SHA-256 (hex). */
  shareByHash(tokenHash: string): Promise<ShareRecord | undefined>;
}

/** Keeps the share links to runs. */
export interface ShareStore extends ShareReader {
  /** Stores a new link. @throws {RunNotFoundError} */
  addShare(share: ShareRecord): Promise<void>;
  /** Revokes a link, once: the first time counts. Returns whether there is such a link. */
  revokeShare(shareId: string, at: number): Promise<boolean>;
  /** Counts a view of a link's page. */
  countShareView(shareId: string, at: number): Promise<void>;
}
