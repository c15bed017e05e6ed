import { KEY_HEADER, STORED_KEY } from '../api/sign-in-key.ts';
import { ApiError } from './api-error.ts';

/** The key from a tab, in the shared worker, which has no storage. */
let given: string | undefined;

/** The header that tells this origin from other ports of the host, which get the cookie too. For our own server only. */
export function keyHeader(): Record<string, string> {
  const key = signInKey();
  return key === undefined ? {} : { [KEY_HEADER]: key };
}

/** The key of this browser's sign-in, as far as this origin has one. */
export function signInKey(): string | undefined {
  try {
    // Read each time: another tab may have signed in again.
    return typeof localStorage === 'undefined' ? given : (localStorage.getItem(STORED_KEY) ?? undefined);
  } catch {
    // Storage is blocked: this browser cannot be signed in.
    return undefined;
  }
}

/** Takes the key from a tab. */
export function receiveKey(key: string | undefined): void {
  given = key;
}

/** @throws {ApiError} `storage_blocked` */
export function storeKey(key: string): void {
  try {
    localStorage.setItem(STORED_KEY, key);
  } catch (cause) {
    throw new ApiError({
      code: 'storage_blocked',
      message: 'This browser blocks storage for this address.',
      hint: 'Allow it, then sign in again.',
      status: 0,
      cause,
    });
  }
}

export function forgetKey(): void {
  localStorage.removeItem(STORED_KEY);
}

/** Calls back when another tab has signed in or out. Returns a function that stops it. */
export function onKeyChange(act: () => void): () => void {
  const hear = ({ key }: StorageEvent) => {
    if (key === STORED_KEY || key === null) act();
  };
  window.addEventListener('storage', hear);
  return () => window.removeEventListener('storage', hear);
}
