import type { ShareRecord } from '../api/share.ts';

/** Reads share links. */
export interface ShareReader {
  /** All share links, newest first. */
  shares(): Promise<ShareRecord[]>;
  /** The link whose token has this SHA-256 (hex). */
  shareByHash(tokenHash: string): Promise<ShareRecord | undefined>;
}

/** Stores the share links to runs. */
export interface ShareStore extends ShareReader {
  /** Stores a new link. @throws {RunNotFoundError} */
  addShare(share: ShareRecord): Promise<void>;
  /** Revokes a link; repeating it changes nothing. Returns whether the link exists. */
  revokeShare(shareId: string, at: number): Promise<boolean>;
  /** Counts a view of a link's page. */
  countShareView(shareId: string, at: number): Promise<void>;
}
