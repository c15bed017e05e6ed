import { lookup } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { type FetchHost, isListedUrl, portOf } from '../../events/fetch-hosts.ts';
import { addressProblem, plainAddress } from './address-rules.ts';
import { connectionProblem } from './connection-problem.ts';
import { FetchError } from './fetch-error.ts';
import { MAX_BODY_BYTES, MAX_REDIRECTS, MAX_URL_CHARS } from './limits.ts';
import { readBody } from './read-body.ts';

/** Finds the addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_HEADER_BYTES = 16 * 1024;

/** What a server answered. */
export interface Fetched {
  /** The last URL, after redirects. */
  url: string;
  redirects: number;
  status: number;
  /** The header as sent; empty if there was none. */
  contentType: string;
  body: Buffer;
  /** Whether the body is longer than what was read. */
  isCut: boolean;
}

export interface FetchOptions {
  hosts: readonly FetchHost[];
  /** Ends the request at its time limit or when the run is stopped. */
  signal: AbortSignal;
  /** Default: the resolver of this machine. */
  resolve?: Resolve;
}

const resolveHere: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/**
 * Sends a GET request to a listed host and follows redirects to listed hosts. Each name is resolved once, all of its
 * addresses are checked, and the connection is made to one of these addresses.
 *
 * @throws {FetchError} if the URL, an address or a redirect is refused, or the request fails
 */
export async function fetchListed(given: string, options: FetchOptions): Promise<Fetched> {
  let url = readUrl(given, options);
  for (let redirects = 0; ; redirects++) {
    const response = await getOnce(url, options);
    const location = REDIRECTS.has(response.statusCode ?? 0) ? response.headers.location : undefined;
    if (location === undefined) return await fetchedOf(response, { url, redirects, signal: options.signal });
    response.destroy();
    if (redirects === MAX_REDIRECTS) {
      throw new FetchError(`More than ${MAX_REDIRECTS} redirects. The last one was from ${shown(url)}.`);
    }
    url = redirectOf(url, location, options);
  }
}

/** @throws {FetchError} */
function readUrl(text: string, { hosts }: Pick<FetchOptions, 'hosts'>): URL {
  const url = text.length > MAX_URL_CHARS ? null : URL.parse(text.trim());
  if (!url)
    throw new FetchError('This is not a URL. Pass a full one, such as https://docs.example.com/page.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchError(`Only http and https URLs can be fetched, not "${url.protocol.slice(0, 30)}".`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchError('The URL contains a user name or password. Pass it without them.');
  }
  if (!isListedUrl(url, hosts)) {
    throw new FetchError(
      `This run may not fetch from ${url.host.slice(0, 260)}. Allowed: ${hosts.map(hostText).join(', ') || 'none'}.`,
    );
  }
  url.hash = '';
  return url;
}

function redirectOf(from: URL, location: string, options: FetchOptions): URL {
  const target = location.length > MAX_URL_CHARS ? null : URL.parse(location, from.href);
  try {
    return readUrl(target?.href ?? '', options);
  } catch (cause) {
    if (!(cause instanceof FetchError)) throw cause;
    const where = target ? shown(target) : 'something that is not a URL';
    throw new FetchError(`${shown(from)} redirects to ${where}. ${cause.message}`, { cause });
  }
}

/**
 * Requests one URL and reads the headers. The connection is closed afterwards, so it is never reused for another host.
 */
async function getOnce(
  url: URL,
  { hosts, signal, resolve = resolveHere }: FetchOptions,
): Promise<IncomingMessage> {
  const addresses = await checkedAddresses(url, { hosts, signal, resolve });
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return await new Promise((done, fail) => {
    const sent = send(url, {
      agent: false,
      lookup: pinned(addresses),
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: {
        accept: 'text/html, text/plain, text/markdown, application/json, text/*;q=0.8',
        'accept-encoding': 'gzip, deflate, br',
        'user-agent': 'Loupe',
      },
      signal,
    });
    sent.once('error', (error) => fail(failedRequest(url, error, signal)));
    // Without a listener, Node drops the request and emits neither a response nor an error.
    sent.once('upgrade', (response, socket) => {
      socket.destroy();
      const detail = { status: response.statusCode ?? 0 };
      fail(new FetchError(`${url.host} switched to another protocol, which is not supported.`, { detail }));
    });
    sent.once('response', (response) => {
      const connected = plainAddress(response.socket.remoteAddress ?? '');
      if (connected !== undefined && addresses.includes(connected)) done(response);
      else {
        response.destroy();
        fail(new FetchError(`The connection went to an address that is not one of ${url.hostname}.`));
      }
    });
    sent.end();
  });
}

/** @throws {FetchError} if the host has no address, or one that may not be reached */
async function checkedAddresses(
  url: URL,
  { hosts, signal, resolve }: Required<FetchOptions>,
): Promise<readonly string[]> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const found = isIP(hostname) ? [hostname] : await resolved(hostname, { signal, resolve });
  for (const address of found) {
    const problem = addressProblem(address, { port: portOf(url), hosts });
    if (problem === undefined) continue;
    throw new FetchError(
      `${url.host} was not contacted: ${problem}. Only a person can allow it, by listing that address.`,
    );
  }
  return found.flatMap((address) => plainAddress(address) ?? []);
}

async function resolved(
  hostname: string,
  { signal, resolve }: Pick<Required<FetchOptions>, 'signal' | 'resolve'>,
): Promise<readonly string[]> {
  const stopped = Promise.withResolvers<never>();
  const onAbort = () => stopped.reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const found = await Promise.race([resolve(hostname), stopped.promise]);
    if (found.length > 0) return found;
  } catch (cause) {
    signal.throwIfAborted();
    throw new FetchError(`The host ${hostname} was not found.`, { cause });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  throw new FetchError(`The host ${hostname} has no address.`);
}

/** Resolves a name to the checked addresses, even if it resolves to others now. */
function pinned(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all) callback(null, entries);
    else callback(null, entries[0]?.address ?? '', entries[0]?.family);
  };
}

async function fetchedOf(
  response: IncomingMessage,
  { url, redirects, signal }: { url: URL; redirects: number; signal: AbortSignal },
): Promise<Fetched> {
  const status = response.statusCode ?? 0;
  const encoding = response.headers['content-encoding'] ?? '';
  const { body, isCut } = await readBody(response, { encoding, maxBytes: MAX_BODY_BYTES, signal }).catch(
    (error: unknown) => {
      throw failedRequest(url, error, signal, { status });
    },
  );
  const contentType = response.headers['content-type'] ?? '';
  return { url: url.href, redirects, status, contentType, body, isCut };
}

function failedRequest(
  url: URL,
  error: unknown,
  signal: AbortSignal,
  detail: Record<string, string | number> = {},
): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof FetchError) return error;
  return new FetchError(`${url.host} could not be read: ${connectionProblem(error)}`, {
    detail,
    cause: error,
  });
}

function hostText({ hostname, port }: FetchHost): string {
  return port === undefined ? hostname : `${hostname}:${port}`;
}

/** A URL without its query, fragment and credentials. Not its `origin`, which is "null" for schemes such as `file:`. */
function shown(url: URL): string {
  const { protocol, host, pathname } = url;
  return `${protocol}${url.href.startsWith(`${protocol}//`) ? '//' : ''}${host}${pathname}`.slice(0, 300);
}
