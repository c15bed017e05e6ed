import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { TICKET_PARAMETER } from '../api/sign-in.ts';

const LIFETIME_MS = 30_000;
const BASE = 'http://loupe.invalid';

/**
 * Tickets for downloads: a navigation cannot send the key of a sign-in, so the URL carries proof that a holder of the key
 * requested it. A ticket is valid for one sign-in, one path and 30 seconds, and only together with the cookie.
 */
export class DownloadTickets {
  readonly #secret = randomBytes(32);
  readonly #now: () => number;

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the path with a ticket. */
  issue(signInId: string, path: string): string {
    const url = new URL(BASE + path);
    url.searchParams.delete(TICKET_PARAMETER);
    const end = Math.ceil(this.#now() + LIFETIME_MS);
    url.searchParams.append(TICKET_PARAMETER, `${end}.${this.#proof(signInId, pathOf(url), end)}`);
    return pathOf(url);
  }

  /** Whether the path carries a valid ticket of this sign-in. */
  accepts(signInId: string, path: string): boolean {
    const url = URL.parse(BASE + path);
    if (!url) return false;
    const [ticket = '', ...more] = url.searchParams.getAll(TICKET_PARAMETER);
    const [, end = '', proof = ''] = /^(\d{1,15})\.([A-Za-z0-9_-]{43})$/.exec(ticket) ?? [];
    if (end === '' || more.length > 0 || Number(end) < this.#now()) return false;
    url.searchParams.delete(TICKET_PARAMETER);
    const own = this.#proof(signInId, pathOf(url), Number(end));
    return timingSafeEqual(Buffer.from(proof), Buffer.from(own));
  }

  #proof(signInId: string, path: string, end: number): string {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([signInId, path, end]))
      .digest('base64url');
  }
}

function pathOf({ pathname, searchParams }: URL): string {
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
}
