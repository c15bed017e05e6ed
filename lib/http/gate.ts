import { hash as digest, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HandshakeReply } from '../api/replies.ts';
import { SIGN_IN_MS } from '../api/sign-in.ts';
import { KEY_HEADER } from '../api/sign-in-key.ts';
import { AppError } from '../errors/app-error.ts';
import { Challenges } from '../handshake/challenges.ts';
import { noncesOf } from '../handshake/proof.ts';
import { browserLabel } from '../sign-ins/browser-label.ts';
import { DownloadTickets } from '../sign-ins/download-tickets.ts';
import type { SignIns } from '../sign-ins/sign-ins.ts';

/** The parts of a request that the gate checks, from a Node or a web request. */
export interface RequestFacts {
  method: string;
  /** Path and query. */
  path: string;
  /** All Host headers: a request with more than one could be interpreted in two ways. */
  hosts: readonly string[];
  header(name: string): string | undefined;
}

export interface GateOptions {
  token: string;
  signIns: SignIns;
  /** Host names of this server, without a port. */
  hostnames: readonly string[];
  /** The port it listens on; `undefined` disables the port check (under `next dev`). */
  port: number | undefined;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
const TRIES_PER_MINUTE = 10;
const MINUTE_MS = 60_000;
const LINK_LIFETIME_MS = 60 * MINUTE_MS;
const MAX_OPEN_LINKS = 20;

/**
 * Decides who may access what (SECURITY.md, threats 7 to 9). The HTTP server calls it before Next sees a request, and
 * every route handler calls it again, so that neither relies on the other.
 */
export class Gate {
  /** Signed-in browsers. */
  readonly signIns: SignIns;
  readonly downloads: DownloadTickets;
  readonly #tokenHash: Buffer;
  readonly #hostnames: ReadonlySet<string>;
  readonly #now: () => number;
  readonly #challenges: Challenges;
  #port: number | undefined;
  #address = '127.0.0.1';
  /** Hashes of the unused one-time tickets, with their expiry times. */
  readonly #tickets = new Map<string, number>();
  #wrongTries: number[] = [];

  constructor(options: GateOptions) {
    this.#tokenHash = hash(options.token);
    this.#hostnames = new Set([...LOOPBACK_NAMES, ...options.hostnames.map((name) => name.toLowerCase())]);
    this.#port = options.port;
    this.#now = options.now ?? (() => performance.now());
    this.#challenges = new Challenges({ token: options.token, now: this.#now });
    this.signIns = options.signIns;
    this.downloads = new DownloadTickets(this.#now);
  }

  /** Call once the port is known, if the system chose it. */
  listensOn(port: number, address = '127.0.0.1'): void {
    this.#port = port;
    this.#address = address;
  }

  /** Proves to a client that this server knows the token, before the client sends anything. */
  answerChallenge(clientNonce: string): HandshakeReply {
    return this.#challenges.answer(clientNonce, this.#listener);
  }

  get #listener(): string {
    return `${this.#address}:${this.#port ?? ''}`;
  }

  /** Cookies are shared between all ports of a host, so each server uses its own name. */
  get cookieName(): string {
    return this.#port === undefined ? 'loupe' : `loupe_${this.#port}`;
  }

  /**
   * Refuses requests that were meant for another server or sent by another site: DNS rebinding, CSRF and cross-site reads
   * (D17).
   *
   * @param options.page a page shell; it contains no data of runs, so other sites may link to it
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
    // Navigations only: another site could otherwise load images from here to exhaust the attempts for tokens.
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
   * Authenticates the operator: by the token or a handshake proof as `Authorization: Bearer`, or by both secrets of a
   * signed-in browser. The cookie alone is not enough, because browsers send it to every port of the host.
   *
   * @returns the sign-in of the browser; `undefined` for a bearer
   * @throws {AppError} `unauthorized`, `sign_in_again`, `too_many_tries`
   */
  async checkOperator(facts: RequestFacts): Promise<string | undefined> {
    const bearer = bearerOf(facts);
    if (bearer !== undefined) {
      if (sameHash(hash(bearer), this.#tokenHash)) return undefined;
      // An expired proof is not a guess: its client will request a new challenge.
      if (this.#challenges.accepts(bearer, this.#listener)) return undefined;
      if (noncesOf(bearer) === undefined) this.#countWrongTry();
    } else {
      const cookie = cookieOf(facts.header('cookie'), this.cookieName);
      if (cookie !== undefined) return this.#checkBrowser(cookie, facts);
    }
    throw new AppError({
      code: 'unauthorized',
      message: 'This needs the operator token.',
      hint: 'Open the link that npm start printed, or send the token as "Authorization: Bearer …".',
    });
  }

  /** Wrong secrets do not count as attempts, so that an old tab cannot lock a script out. */
  async #checkBrowser(cookie: string, facts: RequestFacts): Promise<string> {
    const found = await this.signIns.find(cookie, facts.header(KEY_HEADER));
    if (found && (found.hasKey || (isRead(facts.method) && this.downloads.accepts(found.id, facts.path)))) {
      this.signIns.seen(found.id);
      return found.id;
    }
    throw new AppError({
      code: 'sign_in_again',
      message: 'This browser is no longer signed in here.',
      hint: 'It was signed out, its sign-in has expired, or the sign-in belongs to another address or an earlier version of Loupe.',
    });
  }

  /**
   * Whether a browser that is signed in sent these cookies. A navigation cannot send the key, and the cookie goes to every
   * port of the host, so nothing that a run contains may depend on this alone.
   *
   * @param cookies a `Cookie` header
   */
  async hasSignInCookie(cookies: string | undefined): Promise<boolean> {
    const cookie = cookieOf(cookies, this.cookieName);
    return cookie !== undefined && (await this.signIns.find(cookie, undefined)) !== undefined;
  }

  /** Creates a ticket for a sign-in link. Valid once, for an hour. */
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
   * Exchanges a one-time ticket, or the operator token, for a new sign-in. The browser's earlier sign-in ends.
   *
   * @returns a Set-Cookie value and the key, or `undefined` if the ticket is wrong, used or expired
   * @throws {AppError} `too_many_tries`
   */
  async redeem(
    ticketOrToken: string,
    facts: RequestFacts,
  ): Promise<{ setCookie: string; key: string } | undefined> {
    const hashed = hash(ticketOrToken);
    // Looked up by hash, so that timing reveals nothing about the ticket.
    const key = hashed.toString('hex');
    const end = this.#tickets.get(key);
    this.#tickets.delete(key);
    if ((end !== undefined && end >= this.#now()) || sameHash(hashed, this.#tokenHash)) {
      const { cookie, key } = await this.signIns.add({
        label: browserLabel(facts.header('user-agent') ?? ''),
        replaces: cookieOf(facts.header('cookie'), this.cookieName),
      });
      return { setCookie: this.#setCookie(cookie, SIGN_IN_MS / 1000), key };
    }
    this.#countWrongTry();
    return undefined;
  }

  /** A Set-Cookie value that removes the cookie. */
  get clearedCookie(): string {
    return this.#setCookie('', 0);
  }

  #setCookie(value: string, seconds: number): string {
    return `${this.cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
  }

  #isOurs(host: string): boolean {
    const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/.exec(host.toLowerCase());
    if (!match) return false;
    const [, name = '', port] = match;
    const portMatches = this.#port === undefined || Number(port ?? 80) === this.#port;
    return portMatches && this.#hostnames.has(name);
  }

  /**
   * Counts wrong tokens only, so that nobody can lock out the right one by sending others. Limiting right ones as well
   * would only slow down guessing, which 128 random bits do not need.
   *
   * @throws {AppError} `too_many_tries`
   */
  #countWrongTry(): void {
    const now = this.#now();
    this.#wrongTries = this.#wrongTries.filter((at) => at > now - MINUTE_MS);
    if (this.#wrongTries.length < TRIES_PER_MINUTE) {
      this.#wrongTries.push(now);
      return;
    }
    throw new AppError({
      code: 'too_many_tries',
      message: `More than ${TRIES_PER_MINUTE} wrong tokens within a minute.`,
      hint: 'The right token is accepted at any time.',
    });
  }
}

/** What the gate looks at, from a request of a route handler. */
export function factsOfRequest(request: Request): RequestFacts {
  const host = request.headers.get('host');
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    path: pathname + search,
    // Fetch API headers join repeated values with a comma, which no host name contains.
    hosts: host === null ? [] : host.split(',').map((part) => part.trim()),
    header: (name) => request.headers.get(name) ?? undefined,
  };
}

/** The same from a request as Node reads it, which keeps repeated `Host` headers apart. */
export function factsOfIncoming(message: IncomingMessage): RequestFacts {
  const hosts: string[] = [];
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    if (message.rawHeaders[index]?.toLowerCase() === 'host') hosts.push(message.rawHeaders[index + 1] ?? '');
  }
  return {
    method: message.method ?? 'GET',
    path: message.url ?? '/',
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
  return digest('sha256', text, 'buffer');
}

function sameHash(left: Buffer, right: Buffer): boolean {
  return timingSafeEqual(left, right);
}
