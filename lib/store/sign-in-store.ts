import type { SignInRecord } from '../api/sign-in.ts';

/** Reads sign-ins. */
export interface SignInReader {
  /** All signed-in browsers, most recently seen first. */
  signIns(): Promise<SignInRecord[]>;
  /** The sign-in whose cookie has this hash. */
  signInByHash(cookieHash: string): Promise<SignInRecord | undefined>;
}

/** Stores signed-in browsers. */
export interface SignInStore extends SignInReader {
  /** Stores a new sign-in, and keeps at most `limit` of them: the least recently seen are deleted. */
  addSignIn(signIn: SignInRecord, limit: number): Promise<void>;
  /** Records that a signed-in browser was seen. */
  touchSignIn(id: string, at: number): Promise<void>;
  /** Deletes these sign-ins, or all of them. Returns the IDs of those that existed. */
  deleteSignIns(ids?: readonly string[]): Promise<string[]>;
}
