import type { SignInRecord } from '../api/sign-in.ts';

/** Reads sign-ins. */
export interface SignInReader {
  /** All signed-in browsers, the most recently seen first. */
  signIns(): Promise<SignInRecord[]>;
  /** The sign-in whose cookie has this hash. */
  signInByHash(cookieHash: string): Promise<SignInRecord | undefined>;
}

/** Keeps the browsers that signed in. */
export interface SignInStore extends SignInReader {
  /** Stores a new sign-in, and keeps at most `limit` of them: those seen longest ago are deleted. */
  addSignIn(signIn: SignInRecord, limit: number): Promise<void>;
  /** Notes that a signed-in browser was seen. */
  touchSignIn(id: string, at: number): Promise<void>;
  /** Deletes these sign-ins, or all of them. Returns the ids of those that were there. */
  deleteSignIns(ids?: readonly string[]): Promise<string[]>;
}
