import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors/app-error.ts';

/** What the gate looks at, taken from a request of Node or of the web platform. */
export interface RequestFacts {
  method: string;
  /** Every Host header there was: more than one is an attempt to be read in two ways. */
  hosts: readonly string[];
  header(name: string): string | undefined;
}

export interface GateOptions {
  token: string;
  /** Host names under which this server is reached, without port. */
  hostnames: readonly string[];
  /** The port it listens on; `undefined` leaves the port unchecked (under `next dev`). */
  port: number | undefined;
  /** Milliseconds of a clock that never jumps. */
  now?: () => number;
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
const TRIES_PER_MINUTE = 10;
const MINUTE_MS = 60_000;
const LINK_LIFETIME_MS = 60 * MINUTE_MS;
const MAX_OPEN_LINKS = 20;
const COOKIE_DAYS = 30;

/**
 * Decides who may ask for what (SECURITY.md, threats 7 to 9). The HTTP server asks it before Next sees a
 * request, and every route handler asks it again: neither rests on the other.
 */
export class Gate {
  readonly #tokenHash: Buffer;
  readonly #cookieHash: Buffer;
  readonly #cookieValue: string;
  readonly #hostnames: ReadonlySet<string>;
  readonly #now: () => number;
  #port: number | undefined;
  /** Hashes of the one-time tickets that were given out, with the time they end. */
  readonly #tickets = new Map<string, number>();
  #wrongTries: number[] = [];

  constructor(options: GateOptions) {
    this.#tokenHash = hash(options.token);
    // The cookie is derived: who sees it does not hold the token, and it survives a restart.
    this.#cookieValue = createHmac('sha256', options.token).update('loupe session 1').digest('base64url');
    this.#cookieHash = hash(this.#cookieValue);
    this.#hostnames = new Set([...LOOPBACK_NAMES, ...options.hostnames.map((name) => name.toLowerCase())]);
    this.#port = options.port;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Called once the port is known, when the system chose it. */
  listensOn(port: number): void {
    this.#port = port;
  }

  /** Cookies are shared between the ports of a host: each server has its own name. */
  get cookieName(): string {
    return this.#port === undefined ? 'loupe' : `loupe_${this.#port}`;
  }

  /**
   * Refuses requests that were meant for another server or were sent by another page: rebinding, forgery, reading
   * across sites (D17).
   *
   * @param options.page a page shell: it holds no data, so that links from elsewhere may lead to it
   * @throws {AppError} `foreign_host`, `foreign_origin`
   */
  checkSource(facts: RequestFacts, options: { page?: boolean } = {}): void {
    const [host, ...more] = facts.hosts;
    if (host === undefined || more.length > 0 || !this.#isOurs(host)) {
      throw new AppError({
        code: 'foreign_host',
        message: 'This request was made for another host.',
        hint: 'Open the link that npm start printed.',
      });
    }
    const changes = !isRead(facts.method);
    const origin = facts.header('origin');
    const site = facts.header('sec-fetch-site');
    const ownOrigin = origin === undefined || origin === `http://${host}`;
    const ownSite = site === undefined || site === 'same-origin' || site === 'none';
    // Nothing else that a foreign page may load from here, a picture for one: it would try tokens until nobody is let in.
    const navigation = options.page && !changes && facts.header('sec-fetch-dest') === 'document';
    const unknownSource = changes && origin === undefined && !bearerOf(facts);
    if (!ownOrigin || (!ownSite && !navigation) || unknownSource) {
      throw new AppError({
        code: 'foreign_origin',
        message: 'This request was sent by another page.',
        hint: 'A script sends its token as "Authorization: Bearer …".',
      });
    }
  }

  /**
   * Lets the operator through: by `Authorization: Bearer`, or by the cookie that the one-time link brought.
   *
   * @throws {AppError} `unauthorized`, `too_many_tries`
   */
  checkOperator(facts: RequestFacts): void {
    const bearer = bearerOf(facts);
    if (bearer !== undefined) {
      this.#refuseFlood();
      if (sameHash(hash(bearer), this.#tokenHash)) return;
      this.#wrongTries.push(this.#now());
    } else {
      // A cookie is not counted as a try: an old tab with an old cookie must not lock a script out.
      const cookie = cookieOf(facts.header('cookie'), this.cookieName);
      if (cookie !== undefined && sameHash(hash(cookie), this.#cookieHash)) return;
    }
    throw new AppError({
      code: 'unauthorized',
      message: 'This needs the operator token.',
      hint: 'Open the link that npm start printed, or send the token as "Authorization: Bearer …".',
    });
  }

  /** A ticket for the link that signs a browser in. Good once, for an hour. */
  newTicket(): string {
    const now = this.#now();
    for (const [key, end] of this.#tickets) if (end < now) this.#tickets.delete(key);
    const oldest = this.#tickets.keys().next().value;
    if (this.#tickets.size >= MAX_OPEN_LINKS && oldest !== undefined) this.#tickets.delete(oldest);
    const ticket = randomBytes(32).toString('base64url');
    this.#tickets.set(hash(ticket).toString('hex'), now + LINK_LIFETIME_MS);
    return ticket;
  }

  /**
   * Exchanges a one-time ticket, or the operator token itself, for the cookie.
   *
   * @returns a Set-Cookie value, or `undefined` when the ticket is wrong, used or too old
   * @throws {AppError} `too_many_tries`
   */
  redeem(ticketOrToken: string): string | undefined {
    this.#refuseFlood();
    const hashed = hash(ticketOrToken);
    // Looked up by its hash: what the time of a look-up may tell is nothing about the ticket.
    const key = hashed.toString('hex');
    const end = this.#tickets.get(key);
    this.#tickets.delete(key);
    if ((end !== undefined && end >= this.#now()) || sameHash(hashed, this.#tokenHash)) {
      return `${this.cookieName}=${this.#cookieValue}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_DAYS * 86_400}`;
    }
    this.#wrongTries.push(this.#now());
    return undefined;
  }

  #isOurs(host: string): boolean {
    const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/.exec(host.toLowerCase());
    if (!match) return false;
    const [, name = '', port] = match;
    const portMatches = this.#port === undefined || Number(port ?? 80) === this.#port;
    return portMatches && this.#hostnames.has(name);
  }

  #refuseFlood(): void {
    const since = this.#now() - MINUTE_MS;
    this.#wrongTries = this.#wrongTries.filter((at) => at > since);
    if (this.#wrongTries.length < TRIES_PER_MINUTE) return;
    throw new AppError({
      code: 'too_many_tries',
      message: `More than ${TRIES_PER_MINUTE} wrong tokens within a minute.`,
      hint: 'Wait a minute, then try again with the right one.',
    });
  }
}

export function factsOfRequest(request: Request): RequestFacts {
  const host = request.headers.get('host');
  return {
    method: request.method,
    // The web platform joins repeated headers with a comma, which no host name holds.
    hosts: host === null ? [] : host.split(',').map((part) => part.trim()),
    header: (name) => request.headers.get(name) ?? undefined,
  };
}

export function factsOfIncoming(message: IncomingMessage): RequestFacts {
  const hosts: string[] = [];
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    if (message.rawHeaders[index]?.toLowerCase() === 'host') hosts.push(message.rawHeaders[index + 1] ?? '');
  }
  return {
    method: message.method ?? 'GET',
    hosts,
    header: (name) => {
      const value = message.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  };
}

export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function bearerOf(facts: RequestFacts): string | undefined {
  return /^Bearer +([\x21-\x7e]+)$/i.exec(facts.header('authorization') ?? '')?.[1];
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const separator = part.indexOf('=');
    if (separator > 0 && part.slice(0, separator).trim() === name) return part.slice(separator + 1).trim();
  }
  return undefined;
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function sameHash(left: Buffer, right: Buffer): boolean {
  return timingSafeEqual(left, right);
}
