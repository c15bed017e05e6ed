import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../testing/listen.ts';
import { createLoupeServer } from './http-server.ts';
import { StaticFiles } from './static-files.ts';
import { testGate } from './test-gate.ts';

const SCRIPT = 'console.log("a line of the script");\n'.repeat(100);
const gate = testGate({ token: 'operator-token-0123456789abcdef', port: undefined });
let folder: string;
let server: Server;
let port: number;
/** The requests that reached Next. */
let passed: string[] = [];
let ranges: (string | undefined)[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-static-'));
  mkdirSync(join(folder, 'static', 'chunks'), { recursive: true });
  mkdirSync(join(folder, 'static', 'media'));
  writeFileSync(join(folder, 'secret.js'), 'not served');
  writeFileSync(join(folder, 'static', 'chunks', 'app.js'), SCRIPT);
  writeFileSync(join(folder, 'static', 'chunks', 'gone.js'), SCRIPT);
  writeFileSync(join(folder, 'static', 'chunks', 'look.css'), 'body{margin:0}'.repeat(50));
  writeFileSync(join(folder, 'static', 'media', 'font.woff2'), 'a font');
  symlinkSync(join(folder, 'secret.js'), join(folder, 'static', 'chunks', 'link.js'));
  server = createLoupeServer({
    gate,
    page: async ({ url, headers }, response) => {
      passed.push(url ?? '');
      ranges.push(headers.range);
      response.writeHead(404).end('Next');
    },
    staticFiles: new StaticFiles(join(folder, 'static')),
  });
  port = await listen(server);
  gate.listensOn(port);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  passed = [];
  ranges = [];
});

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends the path unchanged, unlike `fetch`, and decodes nothing. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', port, path, method, headers });
  sent.end();
  const [response] = await once(sent, 'response');
  const body = Buffer.concat(await response.toArray());
  return { status: response.statusCode, headers: response.headers, body };
}

const BROWSER = { 'accept-encoding': 'gzip, deflate, br' };
const app = '/_next/static/chunks/app.js';

describe('files of the build', () => {
  it('are sent with Brotli, or with gzip where the client has no Brotli', async () => {
    const brotli = await ask(app, BROWSER);
    expect(brotli.headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'application/javascript; charset=UTF-8',
      'content-length': String(brotli.body.byteLength),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'self'"),
    });
    expect(brotliDecompressSync(brotli.body).toString()).toBe(SCRIPT);
    const zipped = await ask(`${app}?dpl=1`, { 'accept-encoding': 'gzip' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.body).toString()).toBe(SCRIPT);
    const style = await ask('/_next/static/chunks/look.css', BROWSER);
    expect(style.headers['content-type']).toBe('text/css; charset=UTF-8');
    expect(passed).toEqual([]);
  });

  it('are the same for all requests at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(app, BROWSER)));
    for (const { body } of answers) expect(body.equals(answers[0]?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it('answer HEAD with the headers of GET and no body', async () => {
    const get = await ask(app, BROWSER);
    const head = await ask(app, BROWSER, 'HEAD');
    expect(head.body.byteLength).toBe(0);
    const { date: _, ...headers } = head.headers;
    expect(get.headers).toMatchObject({ ...headers, 'content-security-policy': expect.any(String) });
  });

  it('answer 304 to a client that has the file', async () => {
    const { headers } = await ask(app, BROWSER);
    const again = await ask(app, { ...BROWSER, 'if-none-match': `"other", ${headers.etag}` });
    expect([again.status, again.body.byteLength]).toEqual([304, 0]);
    expect((await ask(app, { ...BROWSER, 'if-none-match': '*' })).status).toBe(304);
    expect((await ask(app, { ...BROWSER, 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('are sent whole to a client that asks for a part, also for one that the file does not have', async () => {
    for (const range of ['bytes=0-9', 'bytes=99999999-', 'lines=1']) {
      const answer = await ask(app, { ...BROWSER, range });
      expect(answer.status).toBe(200);
      expect(brotliDecompressSync(answer.body).toString()).toBe(SCRIPT);
      await ask('/_next/static/media/font.woff2', { range });
    }
    expect(ranges).toEqual([undefined, undefined, undefined]);
  });

  it('are left to Next for a client without compression, marked as varying', async () => {
    const clients: Record<string, string>[] = [{}, { 'accept-encoding': 'br;q=0' }];
    for (const headers of clients) {
      const answer = await ask(app, headers);
      expect(answer.headers.vary).toBe('accept-encoding');
    }
    expect(passed).toEqual([app, app]);
  });

  it('are only those that were there at the start: no path leads anywhere else', async () => {
    writeFileSync(join(folder, 'static', 'chunks', 'later.js'), SCRIPT);
    const others = [
      '/_next/static/chunks/none.js',
      '/_next/static/chunks/later.js',
      '/_next/static/chunks/link.js',
      '/_next/static/media/font.woff2',
      '/_next/static/../secret.js',
      '/_next/static/chunks/../../secret.js',
      '/_next/static/chunks/%2e%2e/%2e%2e/secret.js',
      '/_next/static/chunks/..%2f..%2fsecret.js',
      '/_next/static/chunks/APP.js',
      '/_next/static//chunks/app.js',
      '/_next/static/chunks/app.js%00.css',
      '/_next/static/',
    ];
    for (const path of others) expect((await ask(path, BROWSER)).body.toString()).toBe('Next');
    expect(passed).toEqual(others);
  });

  it('are not served once they are deleted', async () => {
    rmSync(join(folder, 'static', 'chunks', 'gone.js'));
    expect((await ask('/_next/static/chunks/gone.js', BROWSER)).status).toBe(404);
  });

  it('pass the gate first', async () => {
    const foreign: Record<string, string>[] = [
      { host: 'evil.example' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'script' },
      { origin: 'http://evil.example' },
    ];
    for (const headers of foreign) {
      expect((await ask(app, { ...BROWSER, ...headers })).status).toBe(403);
    }
    expect((await ask(app, { ...BROWSER, 'content-length': '0' }, 'POST')).status).toBe(403);
    expect(passed).toEqual([]);
  });
});
