const MINUTE_MS = 60_000;
const MAX_KEYS = 10_000;

/** A rate limiter: counts events by address or link, and reports when a key exceeds the limit within a minute. */
export class PerMinute {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #counts = new Map<string, { since: number; count: number }>();

  constructor({ limit, now }: { limit: number; now: () => number }) {
    this.#limit = limit;
    this.#now = now;
  }

  count(key: string): void {
    const now = this.#now();
    const known = this.#counts.get(key);
    this.#counts.delete(key);
    const fresh = known === undefined || now - known.since >= MINUTE_MS;
    this.#counts.set(key, fresh ? { since: now, count: 1 } : { ...known, count: known.count + 1 });
    const oldest = this.#counts.keys().next().value;
    if (this.#counts.size > MAX_KEYS && oldest !== undefined) this.#counts.delete(oldest);
  }

  tooMany(key: string): boolean {
    const known = this.#counts.get(key);
    return known !== undefined && this.#now() - known.since < MINUTE_MS && known.count >= this.#limit;
  }
}
