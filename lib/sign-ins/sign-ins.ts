import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { SIGN_IN_MS, type SignIn, type SignInRecord } from '../api/sign-in.ts';
import type { SignInStore } from '../store/sign-in-store.ts';

/** A browser's secrets: the cookie is sent to every port of the host, the key is stored for one origin only. */
export interface SignInSecrets {
  cookie: string;
  key: string;
}

/** More than one person needs; beyond it, the least recently seen sign-in is removed. */
const MAX_SIGN_INS = 100;
const TOUCH_EVERY_MS = 60_000;
/** How long a lookup is cached; another process may end the sign-in meanwhile. */
const REMEMBER_MS = 2000;
/** How often streams check whether another process signed their browser out. */
const CHECK_EVERY_MS = 5000;

/** Creates, recognizes, lists and ends the sign-ins of browsers (docs/decisions/0034). */
export class SignIns {
  readonly #store: SignInStore;
  readonly #token: string;
  readonly #now: () => number;
  /** Sign-ins that could not be stored on a full disk, by cookie hash; valid until the server stops. */
  readonly #unstored = new Map<string, SignInRecord>();
  /** Cached lookups by cookie hash. */
  readonly #found = new Map<string, { record: SignInRecord; at: number }>();
  /** Incremented by every sign-out, so that lookups that started earlier are not cached. */
  #round = 0;
  /** When `last_seen_at` was last written, by sign-in. */
  readonly #touched = new Map<string, number>();
  /** Controllers that end the open streams of a browser, by sign-in. */
  readonly #streams = new Map<string, Set<AbortController>>();
  #checking: NodeJS.Timeout | undefined;

  /** @param options.token the operator token; a different one invalidates earlier sign-ins */
  constructor(options: { store: SignInStore; token: string; now: () => number }) {
    this.#store = options.store;
    this.#token = options.token;
    this.#now = options.now;
  }

  /** @param replaces cookie of an earlier sign-in of the same browser, which is ended */
  async add({ label, replaces }: { label: string; replaces?: string }): Promise<SignInSecrets> {
    const secrets = { cookie: newSecret(), key: newSecret() };
    const now = this.#now();
    const record: SignInRecord = {
      id: randomBytes(8).toString('hex'),
      cookie_hash: this.#hashOf(secrets.cookie),
      key_hash: this.#hashOf(secrets.key),
      label,
      created_at: now,
      last_seen_at: now,
    };
    const replaced = replaces === undefined ? undefined : await this.#lookUp(replaces);
    const expired = (await this.#store.signIns()).filter((one) => !this.#isCurrent(one));
    const old = [...expired, ...(replaced ? [replaced] : [])].map(({ id }) => id);
    try {
      await this.#store.addSignIn(record, MAX_SIGN_INS);
      if (old.length > 0) await this.signOut(old);
    } catch (error) {
      if (!hasCode(error, 'storage_full')) throw error;
      this.#keepUnstored(record);
    }
    return secrets;
  }

  /** Finds the sign-in of a cookie, and checks whether the key belongs to it. */
  async find(cookie: string, key: string | undefined): Promise<{ id: string; hasKey: boolean } | undefined> {
    const record = await this.#lookUp(cookie);
    if (record === undefined || !this.#isCurrent(record)) return undefined;
    return { id: record.id, hasKey: key !== undefined && sameHash(this.#hashOf(key), record.key_hash) };
  }

  /** Records that the browser was seen, at most once a minute. */
  seen(id: string): void {
    const now = this.#now();
    if (now - (this.#touched.get(id) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return;
    this.#touched.set(id, now);
    this.#store.touchSignIn(id, now).catch((error: unknown) => {
      console.warn('Could not store when a browser was last seen:', error);
    });
  }

  /** All current sign-ins, most recently seen first. */
  async list(currentId: string | undefined): Promise<SignIn[]> {
    const records = [...(await this.#store.signIns()), ...this.#unstored.values()];
    return records
      .filter((record) => this.#isCurrent(record))
      .sort((left, right) => right.last_seen_at - left.last_seen_at)
      .map(({ id, label, created_at, last_seen_at }) => ({
        id,
        label,
        created_at,
        last_seen_at,
        expires_at: created_at + SIGN_IN_MS,
        current: id === currentId,
      }));
  }

  /** Ends these sign-ins, or all, with their open streams. Returns the IDs that existed. */
  async signOut(ids?: readonly string[]): Promise<string[]> {
    const gone = new Set(await this.#store.deleteSignIns(ids));
    this.#round += 1;
    this.#found.clear();
    for (const [hash, { id }] of this.#unstored) {
      if (ids !== undefined && !ids.includes(id)) continue;
      this.#unstored.delete(hash);
      gone.add(id);
    }
    for (const id of ids ?? this.#streams.keys()) this.#end(id);
    return [...gone];
  }

  /**
   * The signal aborts when the browser is signed out, here or by another process. Call `release` when the stream ends.
   */
  watch(id: string): { signal: AbortSignal; release: () => void } {
    const controller = new AbortController();
    const streams = this.#streams.get(id) ?? new Set();
    this.#streams.set(id, streams.add(controller));
    this.#checking ??= setInterval(() => void this.check(), CHECK_EVERY_MS).unref();
    const release = () => {
      streams.delete(controller);
      if (streams.size === 0 && this.#streams.get(id) === streams) this.#streams.delete(id);
      if (this.#streams.size > 0) return;
      clearInterval(this.#checking);
      this.#checking = undefined;
    };
    return { signal: controller.signal, release };
  }

  /** Ends the streams of browsers that are no longer signed in. */
  async check(): Promise<void> {
    try {
      const current = new Set((await this.list(undefined)).map(({ id }) => id));
      for (const id of this.#streams.keys()) {
        if (current.has(id)) this.seen(id);
        else this.#end(id);
      }
    } catch (error) {
      console.warn('Could not check signed-in browsers; trying again:', error);
    }
  }

  /** A user must be able to sign in on a full disk, in order to delete runs. */
  #keepUnstored(record: SignInRecord): void {
    const [oldest] = this.#unstored.keys();
    if (this.#unstored.size >= MAX_SIGN_INS && oldest !== undefined) this.#unstored.delete(oldest);
    this.#unstored.set(record.cookie_hash, record);
  }

  #end(id: string): void {
    this.#touched.delete(id);
    for (const controller of this.#streams.get(id) ?? []) controller.abort(new Error('Signed out'));
  }

  async #lookUp(cookie: string): Promise<SignInRecord | undefined> {
    // Looked up by hash, so that timing reveals nothing about the cookie.
    const hash = this.#hashOf(cookie);
    const found = this.#found.get(hash);
    const now = this.#now();
    if (found && now - found.at < REMEMBER_MS) return found.record;
    const round = this.#round;
    const record = this.#unstored.get(hash) ?? (await this.#stored(hash, found?.record));
    if (round !== this.#round) return this.#lookUp(cookie);
    this.#found.delete(hash);
    if (record) this.#found.set(hash, { record, at: this.#now() });
    const [oldest] = this.#found.keys();
    if (this.#found.size > MAX_SIGN_INS && oldest !== undefined) this.#found.delete(oldest);
    return record;
  }

  /** No sign-out can be stored while the store is unavailable, so a cached sign-in stays valid. */
  async #stored(hash: string, found: SignInRecord | undefined): Promise<SignInRecord | undefined> {
    try {
      return await this.#store.signInByHash(hash);
    } catch (error) {
      if (found && hasCode(error, 'store_busy')) return found;
      throw error;
    }
  }

  #hashOf(secret: string): string {
    return createHmac('sha256', this.#token).update(secret).digest('hex');
  }

  #isCurrent({ created_at }: SignInRecord): boolean {
    return this.#now() < created_at + SIGN_IN_MS;
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function sameHash(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
