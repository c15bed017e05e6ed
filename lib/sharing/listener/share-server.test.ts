import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request as httpRequest, type Server } from 'node:http';
import { connect } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ShareDraft, shareRequest } from '../../api/share.ts';
import type { RunEvent } from '../../events/registry.ts';
import type { ExecuteRun } from '../../runs/run-worker.ts';
import { leaksIn, PLANTED_ENVIRONMENT, plantedLog } from '../../testing/planted-secrets.ts';
import { pngImage } from '../../testing/sample-images.ts';
import { openTestService, scripted, type TestService, warned } from '../../testing/test-service.ts';
import { Shares } from '../links/shares.ts';
import { createShareServer, type ShareLimits } from './share-server.ts';

const OPERATOR = 'the-token-of-the-operator-0123456789';
const SCRIPT = 'show()';
let playerScript = SCRIPT;
const assets = () => ({
  script: playerScript,
  formulas: 'draw()',
  style: '',
  scriptHash: 'sha256-A',
  formulasHash: 'sha256-C',
  styleHash: 'sha256-B',
});

let test: TestService;
let shares: Shares;
let server: Server;
let base: string;
let clock: number;
const controllers: AbortController[] = [];

async function open(
  execute: ExecuteRun,
  limits: Partial<ShareLimits> = {},
  clientHeader?: string,
): Promise<void> {
  test = await openTestService(execute);
  clock = Date.now();
  shares = new Shares({
    store: test.store,
    now: () => clock,
    redaction: { environment: [PLANTED_ENVIRONMENT], tokens: [OPERATOR], paths: [test.dataDir] },
  });
  server = createShareServer({
    shares,
    assets,
    clientHeader,
    follow: (runId, after, signal) => test.service.follow({ topics: new Map([[runId, after]]), signal }),
    limits: { wrongPerMinute: 100_000, opensPerMinute: 100_000, recheckMs: 50, ...limits },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('not listening');
  base = `http://127.0.0.1:${address.port}`;
}

afterEach(async () => {
  playerScript = SCRIPT;
  for (const controller of controllers.splice(0)) controller.abort();
  server.closeAllConnections();
  server.close();
  await test.dispose();
});

async function ended(id: string): Promise<string> {
  await vi.waitFor(async () => expect((await test.service.stored.get(id)).run.phase).toBe('ended'), {
    timeout: 30_000,
  });
  return id;
}

function share(runId: string, draft: ShareDraft = {}) {
  return shares.create(runId, shareRequest.parse(draft));
}

interface Read {
  events: RunEvent[];
  names: string[];
  text: string;
  closed: boolean;
}

/** Follows a stream like a page does, until it ends or the test aborts it. */
async function follow(path: string, headers: Record<string, string> = {}): Promise<Read> {
  const controller = new AbortController();
  controllers.push(controller);
  const response = await fetch(`${base}${path}`, { headers, signal: controller.signal });
  if (!response.body) throw new Error('no body');
  expect(response.status).toBe(200);
  const read: Read = { events: [], names: [], text: '', closed: false };
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event) read.names.push(event);
      else read.events.push(JSON.parse(data));
    },
  });
  const pump = async (body: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of body) {
        const text = decoder.decode(bytes, { stream: true });
        read.text += text;
        parser.feed(text);
      }
    } catch {
      // Aborted by the test.
    }
    read.closed = true;
  };
  void pump(response.body);
  return read;
}

/** A run that continues until the test ends it. */
function openEnded(): {
  execute: ExecuteRun;
  say(text: string): Promise<void>;
  delta(text: string): void;
  end(): void;
} {
  const queue: string[] = [];
  const texts: string[] = [];
  let wake: () => void = () => {};
  let over = false;
  const said: (() => void)[] = [];
  return {
    execute: async (run) => {
      while (!over && !run.signal.aborted) {
        const text = queue.shift();
        const delta = texts.shift();
        if (delta !== undefined) run.log.delta({ type: 'text', call: 1, offset: 0, text: delta });
        if (text !== undefined) {
          run.log.append([warned(text)]);
          await run.log.durable();
          said.shift()?.();
        } else if (delta === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
            run.signal.addEventListener('abort', () => resolve(), { once: true });
          });
        }
      }
      return run.signal.aborted ? { outcome: 'suspended' } : scripted([])(run);
    },
    say: (text) =>
      new Promise((resolve) => {
        queue.push(text);
        said.push(resolve);
        wake();
      }),
    delta(text) {
      texts.push(text);
      wake();
    },
    end() {
      over = true;
      wake();
    },
  };
}

describe('a finished run', () => {
  let runId: string;
  beforeEach(async () => {
    await open(scripted(plantedLog().events.slice(1, -1)));
    runId = await ended(await test.start({ task: 'Mail ada.lovelace@analytical.org' }));
  });

  it('compresses the page for clients that accept it, and never a stream', async () => {
    for (const live of [true, false]) {
      const { token } = await share(runId, { live });
      const read = async (accepts: string, path = '') => {
        const response = await fetch(`${base}/s/${token}${path}`, {
          headers: { 'accept-encoding': accepts },
        });
        const { headers } = response;
        return { encoding: headers.get('content-encoding'), headers, text: await response.text() };
      };
      const plain = await read('identity');
      expect(plain.encoding).toBeNull();
      expect(plain.headers.get('vary')).toBe('accept-encoding');
      expect(plain.text).toContain('</html>');
      expect(await read('gzip')).toMatchObject({ encoding: 'gzip', text: plain.text });
      expect(await read('gzip, br')).toMatchObject({ encoding: 'br', text: plain.text });
      const stream = await fetch(`${base}/s/${token}/events`, { headers: { 'accept-encoding': 'gzip, br' } });
      expect(stream.headers.get('content-encoding')).toBeNull();
      await stream.body?.cancel();
    }
  });

  it('reveals no planted secret in any scope, on the page, in the stream or in the preview', async () => {
    for (const scope of ['summary', 'without_results', 'everything'] as const) {
      for (const live of [true, false]) {
        const { token, title } = await share(runId, { scope, live });
        const page = await (await fetch(`${base}/s/${token}`)).text();
        const stream = await follow(`/s/${token}/events`);
        const { last_seq } = (await test.service.stored.get(runId)).run;
        await vi.waitFor(() => expect(stream.events).toHaveLength(last_seq), { timeout: 10_000 });
        expect(leaksIn(page + stream.text + title), `${scope} ${live}`).toEqual([]);
        expect(page).not.toContain(test.dataDir);
        const preview = await shares.preview(runId, shareRequest.parse({ scope, live }));
        expect(leaksIn(JSON.stringify(preview))).toEqual([]);
        // The stream sends exactly what the preview showed.
        expect(stream.events).toEqual(preview.events);
        if (scope !== 'everything') expect(page).toContain(`"redacted":${preview.masked},`);
      }
    }
  });

  it('the title is redacted like the run, no matter when the run reveals what is a secret', async () => {
    const secret = 'zebra-Horse-Battery-7';
    const say = openEnded();
    server.close();
    server.closeAllConnections();
    await test.dispose();
    await open(say.execute);
    const id = await test.start({ task: `Try ${secret} there` });
    await say.say('nothing yet');
    const early = await share(id);
    await say.say(`db_password=${secret}`);
    const late = await share(id, { live: false });
    expect(late.title).not.toContain(secret);
    for (const { token } of [early, late]) {
      const page = await (await fetch(`${base}/s/${token}`)).text();
      expect(page).toContain('<title>Try ‹');
      expect(page).not.toContain(secret);
    }
    say.end();
    await ended(id);
  });

  it('leaves requested kinds readable, but never the operator token', async () => {
    const { token } = await share(runId, { show: ['email', 'operator token'] });
    const stream = await follow(`/s/${token}/events`);
    await vi.waitFor(() => expect(stream.events.at(-1)?.type).toBe('run.ended'));
    expect(stream.text).toContain('ada.lovelace@analytical.org');
    expect(leaksIn(stream.text)).toEqual(['e-mail address']);
  });

  it('serves the images of the events that it shows, with their own type, and no others', async () => {
    const data = pngImage().toString('base64');
    const runId = await ended(await test.start({ images: [{ name: 'chart.png', data }] }));
    const { config } = await test.service.stored.get(runId);
    const hash = config.images?.[0]?.hash ?? '';
    const whole = await share(runId);
    const image = await fetch(`${base}/s/${whole.token}/images/${hash}`);
    expect(image.status).toBe(200);
    expect(image.headers.get('content-type')).toBe('image/png');
    expect(image.headers.get('x-content-type-options')).toBe('nosniff');
    expect(image.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await image.arrayBuffer()).byteLength).toBe(config.images?.[0]?.bytes);
    const summary = await share(runId, { scope: 'summary' });
    for (const path of [
      `/s/${summary.token}/images/${hash}`,
      `/s/${whole.token}/images/${'0'.repeat(64)}`,
      `/s/${whole.token}/images/x`,
    ]) {
      expect((await fetch(`${base}${path}`)).status, path).toBe(404);
    }
  });

  it('sets no cookie, forbids indexing, sends no referrer, and runs only its own script', async () => {
    const { token } = await share(runId);
    const response = await fetch(`${base}/s/${token}`);
    const { headers } = response;
    expect(response.status).toBe(200);
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('x-robots-tag')).toContain('noindex');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'sha256-A'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const text = await response.text();
    expect(text).toContain('"kind":"live"');
    expect(text).toContain(`"url":"${token}"`);
  });

  it('answers the same for wrong, expired, truncated and unknown links', async () => {
    const good = await share(runId);
    const short = await share(runId, { expires_in_ms: 1000 });
    clock += 2000;
    const paths = [
      `/s/${short.token}`,
      `/s/${short.token}/events`,
      `/s/${'A'.repeat(22)}`,
      `/s/${good.token.slice(0, 21)}`,
      `/s/${good.token}x`,
      `/s/${good.token}/`,
      `/s/${good.token}/events/`,
      `/s/${good.token}/log`,
      `/s/${good.token}/../${good.token}/events/1`,
      `/S/${good.token}`,
      '/s/',
      '/',
      '/robots.txt',
      '/favicon.ico',
      `/s/%2e%2e/${good.token}`,
      `//s/${good.token}`,
      '*',
    ];
    const answers = await Promise.all(paths.map(async (path) => await raw('GET', path)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(new Set(answers.map(({ comparable }) => comparable)).size).toBe(1);
    expect((await fetch(`${base}/s/${good.token}`)).status).toBe(200);
  });

  it('returns 410 with a plain page for a revoked link, and 404 once it has also expired', async () => {
    const { id, token } = await share(runId);
    await shares.revoke(id);
    for (const path of [`/s/${token}`, `/s/${token}/events`]) {
      const response = await fetch(`${base}${path}`);
      expect(response.status).toBe(410);
      expect(await response.text()).toContain('no longer shared');
    }
    clock += 8 * 86_400_000;
    expect((await fetch(`${base}/s/${token}`)).status).toBe(404);
  });

  it('says on the page for an internal error that the link may be fine', async () => {
    const { token } = await share(runId);
    using errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    using _ = vi.spyOn(shares, 'open').mockRejectedValue(new Error('disk I/O error'));
    const response = await fetch(`${base}/s/${token}`);
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toContain('The link itself may be fine');
    expect(text).not.toContain('disk I/O error');
    expect(errors).toHaveBeenCalledOnce();
  });

  it('revokes the links of a run before it is deleted, and still lists them', async () => {
    const { token } = await share(runId);
    await test.service.delete(runId);
    expect((await fetch(`${base}/s/${token}`)).status).toBe(410);
    expect(await shares.list()).toMatchObject([{ run_id: runId, status: 'revoked' }]);
  });

  it('stores the hash of a token and never the token', async () => {
    const { token } = await share(runId);
    expect(Buffer.from(token, 'base64url')).toHaveLength(16);
    expect(JSON.stringify(await test.store.shares())).not.toContain(token);
    const { readFileSync } = await import('node:fs');
    for (const name of ['loupe.db', 'loupe.db-wal']) {
      expect(readFileSync(join(test.dataDir, name)).includes(token)).toBe(false);
    }
  });

  it('records the number of views and the time of the last one', async () => {
    const { token } = await share(runId);
    await fetch(`${base}/s/${token}`);
    clock += 5000;
    await fetch(`${base}/s/${token}`);
    await fetch(`${base}/s/${token}`, { method: 'HEAD' });
    expect(await shares.list()).toMatchObject([{ views: 2, last_viewed_at: clock }]);
  });

  it('a snapshot link embeds the run in the page', async () => {
    const { token, until_seq } = await share(runId, { live: false });
    const text = await (await fetch(`${base}/s/${token}`)).text();
    const source = JSON.parse(/id="loupe-source">(.*?)<\/script>/s.exec(text)?.[1] ?? '');
    expect(source.kind).toBe('log');
    expect(source.events).toHaveLength(until_seq ?? 0);
    expect(source.shared).toMatchObject({ scope: 'everything', frozen_at: clock });
  });

  it('tells an open page without a stream whether its link is still valid', async () => {
    const { id, token } = await share(runId, { live: false });
    const short = await share(runId, { live: false, expires_in_ms: 1000 });
    const status = async (of: string) => (await raw('GET', `/s/${of}/status`)).status;
    expect([await status(token), await status(short.token)]).toEqual([204, 204]);
    clock += 2000;
    await shares.revoke(id);
    expect([await status(token), await status(short.token)]).toEqual([410, 404]);
    expect(await status('A'.repeat(22))).toBe(404);
    // A status request is not a view.
    expect((await shares.list()).map(({ views }) => views)).toEqual([0, 0]);
  });

  it('only reads: every other method and every body is refused', async () => {
    const { token } = await share(runId);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      expect((await raw(method, `/s/${token}`)).status).toBe(405);
    }
    expect((await raw('GET', `/s/${token}`, { 'content-length': '3' }, 'abc')).status).toBe(413);
    expect((await raw('GET', `/s/${token}`, { 'transfer-encoding': 'chunked' })).status).toBe(413);
  });

  async function openWith(limits: Partial<ShareLimits>, clientHeader?: string): Promise<string> {
    server.close();
    server.closeAllConnections();
    await test.dispose();
    await open(scripted([]), limits, clientHeader);
    return (await share(await ended(await test.start()))).token;
  }
  const unknown = `/s/${'B'.repeat(22)}`;

  it('refuses an address that guesses links for a minute, but still opens valid links for it', async () => {
    const token = await openWith({ wrongPerMinute: 5 });
    for (let tries = 0; tries < 5; tries += 1) expect((await raw('GET', unknown)).status).toBe(404);
    const refused = await raw('GET', unknown);
    expect(refused.status).toBe(429);
    expect(refused.body).toContain('Too many requests');
    expect(refused.body).not.toContain('nothing at this address');
    for (const part of ['', '/status', '/events']) {
      expect([part, (await raw('GET', `/s/${token}${part}`)).status]).toEqual([
        part,
        part === '/status' ? 204 : 200,
      ]);
    }
  });

  it('does not count requests for the favicon', async () => {
    await openWith({ wrongPerMinute: 2 });
    for (let tries = 0; tries < 10; tries += 1) expect((await raw('GET', '/favicon.ico')).status).toBe(404);
    expect((await raw('GET', unknown)).status).toBe(404);
  });

  it('counts wrong links by the connection’s address, whatever headers say', async () => {
    await openWith({ wrongPerMinute: 1 });
    await raw('GET', unknown, { 'x-forwarded-for': '192.0.2.1' });
    expect((await raw('GET', unknown, { 'x-forwarded-for': '192.0.2.2' })).status).toBe(429);
  });

  it('counts wrong links by the last address in the configured proxy header', async () => {
    await openWith({ wrongPerMinute: 1 }, 'x-forwarded-for');
    const from = (value: string) => raw('GET', unknown, { 'x-forwarded-for': value });
    expect((await from('192.0.2.1')).status).toBe(404);
    expect((await from('192.0.2.2')).status).toBe(404);
    expect((await from('192.0.2.9, 192.0.2.1')).status).toBe(429);
    expect((await from('nonsense')).status).toBe(404);
    expect((await from('other nonsense')).status).toBe(429);
  });

  it('answers open pages of one link only so often within a minute', async () => {
    server.close();
    server.closeAllConnections();
    await test.dispose();
    await open(scripted([]), { statusPerMinute: 2 });
    const id = await ended(await test.start());
    const { token } = await share(id);
    const asked = () => raw('GET', `/s/${token}/status`);
    expect([(await asked()).status, (await asked()).status, (await asked()).status]).toEqual([204, 204, 429]);
    expect((await raw('GET', `/s/${token}`)).status).toBe(200);
  });

  it('opens one link only so often within a minute', async () => {
    server.close();
    server.closeAllConnections();
    await test.dispose();
    await open(scripted([]), { opensPerMinute: 3 });
    const id = await ended(await test.start());
    const { token } = await share(id);
    const { token: other } = await share(id);
    for (let opens = 0; opens < 3; opens += 1)
      expect((await raw('GET', `/s/${token}/events`)).status).toBe(200);
    expect((await raw('GET', `/s/${token}/events`)).status).toBe(429);
    const page = await raw('GET', `/s/${token}`);
    expect([page.status, page.body]).toEqual([429, expect.stringContaining('It still works')]);
    expect((await raw('GET', `/s/${other}`)).status).toBe(200);
  });

  it('resumes after the reader’s last event, with the same masks', async () => {
    const { token } = await share(runId);
    const whole = await follow(`/s/${token}/events`);
    await vi.waitFor(() => expect(whole.events.at(-1)?.type).toBe('run.ended'));
    for (const after of [0, 1, 7, whole.events.length - 1]) {
      const part = await follow(`/s/${token}/events`, { 'last-event-id': `${after}` });
      await vi.waitFor(() => expect(part.events.at(-1)?.type).toBe('run.ended'));
      expect(part.events).toEqual(whole.events.slice(after));
    }
    expect((await fetch(`${base}/s/${token}/events?after=x`)).status).toBe(400);
  });

  it('a token opens only its own run: no dashboard route and no other run', async () => {
    const other = await ended(await test.start({ task: 'The other run' }));
    const { token } = await share(runId);
    const routes = apiPaths();
    expect(routes.length).toBeGreaterThan(20);
    const pages = [
      '/',
      '/runs',
      `/runs/${runId}`,
      `/runs/${other}`,
      '/shares',
      '/health',
      '/_next/static/x.js',
    ];
    const tries = [
      ...routes.flatMap((path) => [path.replaceAll('{}', runId), path.replaceAll('{}', other)]),
      ...pages,
      `/s/${runId}`,
      `/s/${other}`,
      `/s/${other}/events`,
      `/s/${token}/runs/${other}`,
      `/s/${token}/events/${other}`,
      `/s/${token}/api/runs`,
    ];
    for (const path of tries) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const { status, body } = await raw(method, path, {
          authorization: `Bearer ${token}`,
          cookie: `loupe=${token}; loupe_4120=${token}`,
        });
        expect([404, 405], `${method} ${path}`).toContain(status);
        expect(body).not.toContain('The other run');
      }
    }
    const stream = await follow(`/s/${token}/events?run=${other}&runs=${other}:0&runId=${other}`);
    await vi.waitFor(() => expect(stream.events.at(-1)?.type).toBe('run.ended'));
    expect(new Set(stream.events.map(({ run_id }) => run_id))).toEqual(new Set([runId]));
  });
});

it('sends nothing more of a snapshot once its link is revoked', async () => {
  await open(scripted(Array.from({ length: 300 }, (_, index) => warned(`Warning ${index}.`))));
  const { id, token } = await share(await ended(await test.start()), { live: false });
  const { read } = test.store;
  vi.spyOn(test.store, 'read').mockImplementation(async function (this: unknown, runId, range) {
    if (range.afterSeq === 100) await shares.revoke(id);
    return read.call(test.store, runId, range);
  });
  let text = '';
  const whole = async () => {
    const answer = await fetch(`${base}/s/${token}`, { headers: { 'accept-encoding': 'identity' } });
    expect(answer.status).toBe(200);
    for await (const bytes of answer.body ?? []) text += Buffer.from(bytes).toString();
  };
  await expect(whole()).rejects.toThrow('terminated');
  expect(text).not.toContain('Warning 200.');
});

describe('a run with texts over 64 KB', () => {
  const CUT = 65_536;
  const SECRET = 'AKIAIOSFODNN7EXAMPLF';
  /** Texts with the secret starting at each position around the cut, followed by other words. */
  const texts = Array.from(
    { length: SECRET.length + 2 },
    (_, back) =>
      `${'lorem '.repeat(CUT).slice(0, CUT - back - 1)} ${SECRET} and the rest ${'ipsum '.repeat(3000)}`,
  );

  it('masks a secret wherever it lies across the cut, on the page, in the stream and in the full event', async () => {
    await open(scripted(texts.map((text) => warned(text))));
    const runId = await ended(await test.start());
    for (const live of [true, false]) {
      const { token } = await share(runId, { live });
      const stream = await follow(`/s/${token}/events`);
      await vi.waitFor(() => expect(stream.events.at(-1)?.type).toBe('run.ended'), { timeout: 10_000 });
      const page = await (await fetch(`${base}/s/${token}`)).text();
      const cut = stream.events.flatMap((event) => (event.type === 'policy.warned' ? [event] : []));
      expect(cut).toHaveLength(texts.length);
      for (const [index, event] of cut.entries()) {
        const answer = await fetch(`${base}/s/${token}/events/${event.seq}`);
        const { message }: { message: string } = await answer.json();
        // Compared as booleans, because a diff of such long texts is unreadable.
        expect(message === texts[index]?.replace(SECRET, '‹aws key 1›'), message.slice(65_500, 65_600)).toBe(
          true,
        );
        const file = await fetch(`${base}/s/${token}/events/${event.seq}?text=message`);
        expect(file.headers.get('content-disposition')).toContain('attachment');
        expect((await file.text()) === message).toBe(true);
        expect('cuts' in event && event.cuts).toEqual([{ path: 'message', chars: message.length }]);
        expect(message.startsWith(event.message)).toBe(true);
      }
      // Not even the start of the secret, which a cut before redaction would leave.
      expect(page + stream.text).not.toMatch(/AKIA/);
    }
  });

  it('gives one event of its own run, up to its last, and 404 for other paths', async () => {
    const script = openEnded();
    await open(script.execute);
    const runId = await test.start();
    await script.say('before');
    const { token, until_seq = 0 } = await share(runId, { live: false });
    await script.say('later');
    await expect(fetch(`${base}/s/${token}/events/${until_seq}`)).resolves.toMatchObject({ status: 200 });
    const paths = [
      `/s/${token}/events/${until_seq + 1}`,
      `/s/${token}/events/0`,
      `/s/${token}/events/-1`,
      `/s/${token}/events/1/`,
      `/s/${token}/events/1?text=nothing`,
      `/s/${token}/events/1?text=__proto__`,
      `/s/${token}/events/1?text=config.task.constructor`,
      `/s/${token}/status/1`,
    ];
    const nothing = (await raw('GET', `/s/${'A'.repeat(22)}`)).comparable;
    for (const path of paths) expect((await raw('GET', path)).comparable, path).toBe(nothing);
  });

  it('a full event is limited to the scope of its link', async () => {
    await open(scripted([warned('one')]));
    const runId = await ended(await test.start({ task: 'Told to nobody' }));
    for (const scope of ['summary', 'everything'] as const) {
      const { token } = await share(runId, { scope });
      const shown = await shares.preview(runId, shareRequest.parse({ scope }));
      for (const event of shown.events as RunEvent[]) {
        const whole = await fetch(`${base}/s/${token}/events/${event.seq}`);
        expect(await whole.json()).toEqual(event);
      }
    }
  });
});

describe('a run in progress', () => {
  it('is followed live, in complete events only', async () => {
    const script = openEnded();
    await open(script.execute);
    const runId = await test.start();
    const { token } = await share(runId);
    const stream = await follow(`/s/${token}/events`);
    await script.say('first');
    script.delta('half a secr');
    await script.say('Bearer abcdefgh12345678');
    await vi.waitFor(() => expect(stream.text).toContain('‹authorization 1›'));
    expect(stream.text).not.toContain('half a secr');
    expect(stream.names).toEqual([]);
    script.end();
    await vi.waitFor(() => expect(stream.closed).toBe(true));
    expect(stream.events.map(({ seq }) => seq)).toEqual(stream.events.map((_, index) => index + 1));
    expect(stream.events.at(-1)?.type).toBe('run.ended');
  });

  it('a snapshot link never shows what came later', async () => {
    const script = openEnded();
    await open(script.execute);
    const runId = await test.start();
    await script.say('before');
    const { token, until_seq } = await share(runId, { live: false });
    await script.say('much later');
    const stream = await follow(`/s/${token}/events`);
    await vi.waitFor(() => expect(stream.closed).toBe(true));
    expect(stream.events).toHaveLength(until_seq ?? 0);
    const page = await (await fetch(`${base}/s/${token}`)).text();
    expect(stream.text + page).not.toContain('much later');
  });

  it('ends an open stream at once when its link is revoked here', async () => {
    const script = openEnded();
    await open(script.execute, { recheckMs: 60_000 });
    const runId = await test.start();
    const { id, token } = await share(runId);
    const { token: stays } = await share(runId);
    const [stream, other] = await Promise.all([follow(`/s/${token}/events`), follow(`/s/${stays}/events`)]);
    await vi.waitFor(() => expect(stream.events.length).toBeGreaterThan(0));
    await shares.revoke(id);
    await vi.waitFor(() => expect(stream.closed).toBe(true), { timeout: 5000 });
    expect(stream.names).toEqual(['revoked']);
    const seen = other.events.length;
    await script.say('still shared');
    await vi.waitFor(() => expect(other.events.length).toBeGreaterThan(seen));
    expect(stream.text).not.toContain('still shared');
  });

  it('ends an open stream when its link was revoked elsewhere or has expired', async () => {
    const script = openEnded();
    await open(script.execute);
    const runId = await test.start();
    const revoked = await share(runId);
    const short = await share(runId, { expires_in_ms: 60_000 });
    const streams = await Promise.all([
      follow(`/s/${revoked.token}/events`),
      follow(`/s/${short.token}/events`),
    ]);
    await test.store.revokeShare(revoked.id, clock);
    clock += 61_000;
    for (const stream of streams) await vi.waitFor(() => expect(stream.closed).toBe(true), { timeout: 5000 });
    expect(streams.map(({ names }) => names)).toEqual([['revoked'], ['revoked']]);
  });

  it('serves a bounded number of streams, per link and in total', async () => {
    const script = openEnded();
    await open(script.execute, { streamsPerLink: 2, streams: 3 });
    const runId = await test.start();
    const first = await share(runId);
    const second = await share(runId);
    const path = `/s/${first.token}/events`;
    const held = await follow(path);
    await follow(path);
    await vi.waitFor(async () => expect((await raw('GET', path)).status).toBe(503));
    expect((await raw('GET', path)).body).toContain('Too many viewers');
    // An open page polls the status, because an EventSource does not report why it was refused.
    expect((await raw('GET', `/s/${first.token}/status`)).status).toBe(503);
    expect((await raw('GET', `/s/${second.token}/status`)).status).toBe(204);
    await follow(`/s/${second.token}/events`);
    await vi.waitFor(async () => expect((await raw('GET', `/s/${second.token}/events`)).status).toBe(503));
    controllers[0]?.abort();
    await vi.waitFor(() => expect(held.closed).toBe(true));
    await delay(0);
    await vi.waitFor(async () => {
      const again = await follow(`/s/${second.token}/events`);
      expect(again.closed).toBe(false);
    });
  });

  it('disconnects a reader who stops in the middle of a page, whatever is left of it', async () => {
    // More than the system buffers.
    playerScript = 'x'.repeat(32 * 1024 * 1024);
    await open(openEnded().execute, { stalledMs: 300 });
    const { token } = await share(await test.start());
    const accepted = once(server, 'connection');
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET /s/${token} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'readable');
    const [connection] = await accepted;
    await once(connection, 'close');
    socket.destroy();
  });

  it('opens a link while one address holds more idle connections than there may be', async () => {
    await open(openEnded().execute, { connections: 20, idlePerAddress: 10 });
    const { token } = await share(await test.start());
    const idle = Array.from({ length: 50 }, () => connect(Number(new URL(base).port), '127.0.0.1'));
    for (const socket of idle) socket.on('error', () => undefined);
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    expect((await fetch(`${base}/s/${token}`)).status).toBe(200);
    for (const socket of idle) socket.destroy();
  });

  it('refuses upgrades', async () => {
    await open(openEnded().execute);
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    socket.write('GET /s/x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes;
    });
    await once(socket, 'close');
    expect(answer).toBe('');
  });
});

/** Every API path of the dashboard, with `{}` for its parameters. */
function apiPaths(): string[] {
  const api = join(resolve(import.meta.dirname, '../../..'), 'app/api');
  return readdirSync(api, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === 'route.ts')
    .map((entry) => `/api/${relative(api, entry.parentPath)}`.replaceAll(/\[[^\]]+\]/g, '{}'));
}

/** A raw request, from a client that does not normalize paths. */
function raw(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<{ status: number; body: string; comparable: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const request = httpRequest({ hostname, port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (bytes) => {
        text += bytes;
      });
      response.on('end', () => {
        const { date: _date, ...kept } = response.headers;
        const status = response.statusCode ?? 0;
        resolve({ status, body: text, comparable: JSON.stringify([status, kept, text]) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
