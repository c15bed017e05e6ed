import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Writable } from 'node:stream';
import type { PlayerSource, SharedNote } from '../../api/player-source.ts';
import type { ShareRecord } from '../../api/share.ts';
import type { RunFeed } from '../../feed/run-feed.ts';
import { acceptedEncoding } from '../../http/accepted-encoding.ts';
import { compressedBody } from '../../http/compressed-body.ts';
import { HEARTBEAT_MS, STALLED_MS } from '../../http/event-stream.ts';
import { limitIdleConnections } from '../../http/idle-connections.ts';
import { viewEvent } from '../../http/view-event.ts';
import { wholeNumberIn } from '../../util/numbers.ts';
import { valueAt } from '../../util/value-at.ts';
import type { OpenShare, Shares } from '../links/shares.ts';
import type { PlayerAssets } from '../player/assets.ts';
import { inertJson, mayHaveFormulas, playerDocument, playerPolicy } from '../player/player-document.ts';
import { PerMinute } from './per-minute.ts';
import {
  ASKED_TOO_OFTEN,
  INTERNAL_ERROR,
  NO_LONGER_SHARED,
  NOTHING_HERE,
  PLAIN_STYLE_HASH,
  TOO_MANY_VIEWERS,
  TOO_MANY_WRONG,
} from './plain-page.ts';

/** Limits per client and in total (threat 15). Times in milliseconds. */
export interface ShareLimits {
  connections: number;
  /** Connections per address without a request in progress; beyond this, the oldest is closed. */
  idlePerAddress: number;
  streams: number;
  streamsPerLink: number;
  wrongPerMinute: number;
  /** Pages, streams and full events per link: each may require scanning a whole log. */
  opensPerMinute: number;
  /** Status requests per link from open pages. */
  statusPerMinute: number;
  headersMs: number;
  /** How often an open stream checks whether its link was revoked elsewhere or has expired. */
  recheckMs: number;
  heartbeatMs: number;
  /** How long a reader may stall before it is disconnected. */
  stalledMs: number;
}

const LIMITS: ShareLimits = {
  connections: 256,
  idlePerAddress: 128,
  streams: 128,
  streamsPerLink: 32,
  wrongPerMinute: 30,
  opensPerMinute: 120,
  statusPerMinute: 3000,
  headersMs: 10_000,
  recheckMs: 2000,
  heartbeatMs: HEARTBEAT_MS,
  stalledMs: STALLED_MS,
};

export interface ShareServerOptions {
  shares: Shares;
  /** Follows a run after an event. Only the feed's events are used. */
  follow(runId: string, after: number, signal: AbortSignal): Promise<RunFeed>;
  assets(): PlayerAssets;
  /** The header in which a proxy sends the client's address; without it, the connection's address is used. */
  clientHeader?: string;
  limits?: Partial<ShareLimits>;
  now?: () => number;
}

/** Sent with every response: no indexing, no caching, no framing, no referrer. */
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};
/** A link, and the paths below it: its stream, one full event, an image, and its status. */
const PATH = /^\/s\/([A-Za-z0-9_-]{22})(\/events(?:\/([1-9]\d{0,14}))?|\/images\/([0-9a-f]{64})|\/status)?$/;
const NOTHING_ALLOWED = `default-src 'none'; style-src '${PLAIN_STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The second listener: serves `/s/TOKEN` with its events and status, and nothing else. It is read-only, sets no cookies,
 * accepts no bodies, and has no other access to the program. Only the token determines which run is shown.
 */
export function createShareServer(options: ShareServerOptions): Server {
  const limits = { ...LIMITS, ...options.limits };
  const site = new ShareSite({ ...options, limits });
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.headersMs,
      keepAliveTimeout: 5000,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 8 * 1024,
      requireHostHeader: false,
    },
    (request, response) => {
      site.answer(request, response).catch((error: unknown) => {
        console.error('A request to a shared run failed:', error);
        if (response.headersSent) response.destroy();
        else sendPage(response, 500, INTERNAL_ERROR);
      });
    },
  );
  server.maxConnections = limits.connections;
  limitIdleConnections(server, limits.idlePerAddress);
  // Also while the end of a page or an image is being sent, which nobody waits for. Streams have heartbeats.
  server.timeout = limits.stalledMs;
  server.on('upgrade', (_, socket) => socket.destroy());
  return server;
}

class ShareSite {
  readonly #shares: Shares;
  readonly #follow: ShareServerOptions['follow'];
  readonly #assets: () => PlayerAssets;
  readonly #limits: ShareLimits;
  readonly #clientHeader: string | undefined;
  readonly #wrong: PerMinute;
  readonly #opened: PerMinute;
  readonly #asked: PerMinute;
  readonly #streams = new Map<string, number>();
  #open = 0;

  constructor(options: ShareServerOptions & { limits: ShareLimits }) {
    this.#shares = options.shares;
    this.#follow = options.follow;
    this.#assets = options.assets;
    this.#limits = options.limits;
    this.#clientHeader = options.clientHeader;
    const now = options.now ?? (() => performance.now());
    this.#wrong = new PerMinute({ limit: options.limits.wrongPerMinute, now });
    this.#opened = new PerMinute({ limit: options.limits.opensPerMinute, now });
    this.#asked = new PerMinute({ limit: options.limits.statusPerMinute, now });
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request;
    if (
      request.headers['transfer-encoding'] !== undefined ||
      Number(request.headers['content-length'] ?? 0) > 0
    ) {
      return sendPage(response, 413, NOTHING_HERE, { connection: 'close' });
    }
    if (method !== 'GET' && method !== 'HEAD') {
      return sendPage(response, 405, NOTHING_HERE, { allow: 'GET, HEAD', connection: 'close' });
    }
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    const [, token, part, seq, hash] = PATH.exec(path) ?? [];
    const share =
      token === undefined
        ? 'unknown'
        : part === '/status'
          ? await this.#shares.find(token)
          : await this.#shares.open(token);
    if (share === 'unknown') return this.#unknown(request, response, path);
    if (share === 'revoked') return sendPage(response, 410, NO_LONGER_SHARED);
    if (!('record' in share)) return this.#status(response, share);
    // A page asks for each of its images once.
    const requests = hash === undefined ? this.#opened : this.#asked;
    if (requests.tooMany(share.record.id)) return sendTooMany(response, ASKED_TOO_OFTEN);
    requests.count(share.record.id);
    if (seq !== undefined) return this.#event(request, response, { share, seq: Number(seq), query });
    if (hash !== undefined) return this.#image(request, response, { share, hash });
    if (part) return this.#stream(request, response, { share, token: token ?? '', query });
    return this.#page(request, response, { share, token: token ?? '' });
  }

  /**
   * Only invalid links are counted, and valid ones are never refused: any web page can make a browser request nonsense,
   * and all readers behind a proxy share one address. Browsers request a favicon on their own.
   */
  #unknown(request: IncomingMessage, response: ServerResponse, path: string): void {
    const client = clientOf(request, this.#clientHeader);
    if (path !== '/favicon.ico') {
      if (this.#wrong.tooMany(client)) {
        sendTooMany(response, TOO_MANY_WRONG);
        return;
      }
      this.#wrong.count(client);
    }
    sendPage(response, 404, NOTHING_HERE);
  }

  /** An open page without a stream polls this to learn whether the link is still valid. */
  #status(response: ServerResponse, { id }: ShareRecord): void {
    if (this.#asked.tooMany(id)) {
      sendTooMany(response, ASKED_TOO_OFTEN);
      return;
    }
    this.#asked.count(id);
    if (this.#isFull(id)) sendFull(response);
    else response.writeHead(204, { ...HEADERS, 'content-security-policy': NOTHING_ALLOWED }).end();
  }

  /** One event with its full texts, redacted before any cut; or one of its texts as a file. */
  async #event(
    request: IncomingMessage,
    response: ServerResponse,
    { share, seq, query }: { share: OpenShare; seq: number; query: string },
  ): Promise<void> {
    const event = await share.log.one(seq, await this.#shares.lastSeq(share.record));
    const path = new URLSearchParams(query).get('text');
    const value = path === null ? event : valueAt(event, path);
    if (value === undefined) return sendPage(response, 404, NOTHING_HERE);
    response.writeHead(200, {
      ...HEADERS,
      'content-security-policy': NOTHING_ALLOWED,
      ...(path === null
        ? { 'content-type': 'application/json' }
        : {
            'content-type': 'text/plain; charset=utf-8',
            'content-disposition': `attachment; filename="shared-${seq}.txt"`,
          }),
    });
    if (request.method === 'HEAD') return void response.end();
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, path === null ? 0 : 2);
    if (await this.#write(response, text)) response.end();
  }

  /** An image of the events that the link shows. */
  async #image(
    request: IncomingMessage,
    response: ServerResponse,
    { share, hash }: { share: OpenShare; hash: string },
  ): Promise<void> {
    const image = await share.log.image(hash, await this.#shares.lastSeq(share.record));
    if (!image) return sendPage(response, 404, NOTHING_HERE);
    response.writeHead(200, {
      ...HEADERS,
      'content-security-policy': NOTHING_ALLOWED,
      'content-type': `image/${image.type}`,
      'content-length': image.data.length,
    });
    if (request.method === 'HEAD') return void response.end();
    response.end(image.data);
  }

  async #page(
    request: IncomingMessage,
    response: ServerResponse,
    { share, token }: { share: OpenShare; token: string },
  ): Promise<void> {
    const assets = this.#assets();
    const { record, log } = share;
    // Most of the page is the player. It does not depend on the client, so its length reveals nothing about
    // the link.
    const encoding = acceptedEncoding(request.headers['accept-encoding']);
    response.writeHead(200, {
      ...HEADERS,
      ...(encoding ? { 'content-encoding': encoding } : {}),
      vary: 'accept-encoding',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${playerPolicy(assets, "'self'")}; frame-ancestors 'none'`,
    });
    if (request.method === 'HEAD') return void response.end();
    await this.#shares.countView(record);
    const body = compressedBody(response, encoding);
    const { head, tail } = playerDocument({ assets, title: log.text(record.title) });
    const shared = await this.#noteOf(share);
    if (record.until_seq === undefined) {
      const source: PlayerSource = { kind: 'live', url: token, shared };
      // Later events may contain formulas. Their script comes last, when the run is already visible.
      body.end(`${head}${inertJson(source)}${tail({ formulas: true })}`);
      return;
    }
    await write(body, `${head}{"kind":"log","url":"${token}","shared":${inertJson(shared)},"events":[`);
    let first = true;
    let formulas = false;
    for await (const page of log.read({ afterSeq: 0, untilSeq: record.until_seq })) {
      const text = page.map((event) => inertJson(viewEvent(event))).join(',');
      formulas ||= mayHaveFormulas(text);
      // A slow reader takes a while, and must get no more of a run that is no longer shared.
      if (typeof (await this.#shares.find(token)) === 'string') return void response.destroy();
      if (!(await write(body, first ? text : `,${text}`))) return;
      first = false;
    }
    body.end(`]}${tail({ formulas })}`);
  }

  async #noteOf({ record, log }: OpenShare): Promise<SharedNote> {
    return {
      scope: record.scope,
      redacted: await log.masked(await this.#shares.lastSeq(record)),
      expires_at: record.expires_at,
      ...(record.until_seq === undefined ? {} : { frozen_at: record.created_at }),
    };
  }

  async #stream(
    request: IncomingMessage,
    response: ServerResponse,
    { share, token, query }: { share: OpenShare; token: string; query: string },
  ): Promise<void> {
    const after = cursorOf(request, query);
    if (after === undefined) return sendPage(response, 400, NOTHING_HERE);
    const { record } = share;
    if (request.method === 'HEAD') return void response.writeHead(200, STREAM_HEADERS).end();
    if (this.#isFull(record.id)) return sendFull(response);
    this.#open += 1;
    this.#streams.set(record.id, (this.#streams.get(record.id) ?? 0) + 1);
    const abort = new AbortController();
    response.on('close', () => abort.abort());
    const stopListening = this.#shares.onGone(({ shareId, runId }) => {
      if (shareId === record.id || runId === record.run_id) abort.abort();
    });
    try {
      response.writeHead(200, STREAM_HEADERS);
      await this.#send(response, { share, token, after, signal: abort.signal });
    } finally {
      stopListening();
      this.#open -= 1;
      const left = (this.#streams.get(record.id) ?? 1) - 1;
      if (left > 0) this.#streams.set(record.id, left);
      else this.#streams.delete(record.id);
      response.end();
    }
  }

  #isFull(shareId: string): boolean {
    return (
      this.#open >= this.#limits.streams || (this.#streams.get(shareId) ?? 0) >= this.#limits.streamsPerLink
    );
  }

  /** Sends complete events only: a delta may contain half a secret, which redaction would not recognize. */
  async #send(
    response: ServerResponse,
    options: { share: OpenShare; token: string; after: number; signal: AbortSignal },
  ): Promise<void> {
    const { share, token, after, signal } = options;
    const { log } = share;
    const untilSeq = share.record.until_seq ?? Number.MAX_SAFE_INTEGER;
    const feed = await this.#follow(share.record.run_id, after, signal);
    try {
      if (!(await this.#write(response, 'retry: 1000\n: Loupe\n\n'))) return;
      let spoken = performance.now();
      let sent = after;
      while (sent < untilSeq && !response.destroyed) {
        const items = signal.aborted ? [] : await feed.next(this.#limits.recheckMs);
        const over = items.length === 0 && feed.done && !signal.aborted;
        if (over || response.destroyed) return;
        const found = await this.#shares.find(token);
        if (typeof found === 'string') {
          // An open page gets the reason from this event, a reconnecting page from the status.
          await this.#write(response, `event: revoked\ndata: ${found}\n\n`);
          return;
        }
        const events = items.flatMap((item) =>
          item.kind === 'event' && item.event.seq <= untilSeq ? [item.event] : [],
        );
        sent = events.at(-1)?.seq ?? sent;
        let text = (await log.show(events)).map(frame).join('');
        if (text === '' && performance.now() - spoken >= this.#limits.heartbeatMs) text = ': still here\n\n';
        if (text !== '') {
          if (!(await this.#write(response, text))) return;
          spoken = performance.now();
        }
      }
    } finally {
      feed.close();
    }
  }

  #write(response: ServerResponse, text: string): Promise<boolean> {
    return write(response, text, this.#limits.stalledMs);
  }
}

const STREAM_HEADERS: Readonly<Record<string, string>> = {
  ...HEADERS,
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'content-security-policy': NOTHING_ALLOWED,
  'x-accel-buffering': 'no',
};

function frame(event: Parameters<typeof viewEvent>[0]): string {
  return `id: ${event.seq}\ndata: ${JSON.stringify(viewEvent(event))}\n\n`;
}

/** The reader's last event; `undefined` if the value is invalid. */
function cursorOf(request: IncomingMessage, query: string): number | undefined {
  const text = request.headers['last-event-id']?.toString() ?? new URLSearchParams(query).get('after') ?? '0';
  return wholeNumberIn(text);
}

function sendTooMany(response: ServerResponse, page: string): void {
  sendPage(response, 429, page, { 'retry-after': '60' });
}

function sendFull(response: ServerResponse): void {
  sendPage(response, 503, TOO_MANY_VIEWERS, { 'retry-after': '5' });
}

/**
 * The client's address for rate limits. A proxy appends the address it saw, so earlier values, written by the client, are
 * ignored.
 */
function clientOf(request: IncomingMessage, header: string | undefined): string {
  const value = header === undefined ? undefined : request.headers[header]?.toString();
  const named = value?.split(',').at(-1)?.trim() ?? '';
  return isIP(named) === 0 ? (request.socket.remoteAddress ?? '') : named;
}

function sendPage(
  response: ServerResponse,
  status: number,
  page: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': NOTHING_ALLOWED,
    ...headers,
  });
  response.end(page);
}

/** Writes a chunk and waits for the reader. `false`: the reader is gone or stalled. */
async function write(body: Writable, text: string, patienceMs = LIMITS.stalledMs): Promise<boolean> {
  if (body.destroyed) return false;
  if (body.write(text)) return true;
  return new Promise((resolve) => {
    const done = (taken: boolean) => {
      clearTimeout(timer);
      body.off('drain', onDrain);
      body.off('close', onClose);
      if (!taken) body.destroy();
      resolve(taken);
    };
    const onDrain = () => done(true);
    const onClose = () => done(false);
    const timer = setTimeout(() => done(false), patienceMs);
    timer.unref();
    body.once('drain', onDrain);
    body.once('close', onClose);
  });
}
