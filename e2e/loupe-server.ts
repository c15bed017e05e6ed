import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

export interface LoupeServer {
  url: string;
  /** The operator token, for requests with `Authorization: Bearer`. */
  token: string;
  dataDir: string;
  port: number;
  process: ChildProcess;
  /** Everything the server printed so far. */
  output(): string;
  /** `fetch` with the token and a path of the server. JSON bodies are sent as such. */
  request(
    path: string,
    options?: { method?: string; json?: unknown; headers?: Record<string, string> },
  ): Promise<Response>;
  /** Ends the server and waits for it. Default signal: SIGTERM. The data stays for a next start. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** `stop`, then deletes the data directory. */
  dispose(): Promise<void>;
}

export interface LoupeServerOptions {
  /** The address of Ollama, or one where it is not running. */
  ollamaUrl: string;
  /** Default: a fresh folder. */
  dataDir?: string;
  port?: number;
  env?: Record<string, string>;
  /** A command that runs the server, as `nsenter` does: it and its arguments come first. */
  within?: readonly string[];
  /** Resolve when the server answers; `false` returns immediately, for servers that are meant to die. */
  waitUntilReady?: boolean;
}

/**
 * A free port of the loopback interface that stays free until it is used: it is outside the range of ephemeral ports.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(12_000, 32_000);
    const server = createServer();
    const free = await new Promise<boolean>((done) => {
      server.once('error', () => done(false));
      server.listen(port, '127.0.0.1', () => done(true));
    });
    if (!free) continue;
    await new Promise((done) => server.close(done));
    return port;
  }
  throw new Error('There is no free port from 12000 to 32000.');
}

/** Starts the program as `npm start` does, on the production build, with its own data directory and token. */
export async function startLoupe(options: LoupeServerOptions): Promise<LoupeServer> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'loupe-data-'));
  const port = options.port ?? (await freePort());
  const token = 'token-for-tests-0123456789abcdef0123456789abcdef';
  const [command = '', ...args] = [
    ...(options.within ?? []),
    process.execPath,
    join(root, 'scripts', 'start.mjs'),
  ];
  const child = spawn(command, args, {
    cwd: root,
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      LANG: 'C.UTF-8',
      LOUPE_PORT: String(port),
      LOUPE_DATA_DIR: dataDir,
      LOUPE_TOKEN: token,
      LOUPE_OPEN: '0',
      LOUPE_SHARE_BIND: '127.0.0.1:0',
      OLLAMA_HOST: options.ollamaUrl,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...(process.env.LOUPE_DIST_DIR ? { LOUPE_DIST_DIR: process.env.LOUPE_DIST_DIR } : {}),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done) => {
    child.once('exit', (code, signal) => done({ code, signal }));
  });

  const url = `http://127.0.0.1:${port}`;
  const server: LoupeServer = {
    url,
    token,
    dataDir,
    port,
    process: child,
    output: () => printed,
    request: (path, request = {}) =>
      fetch(`${url}${path}`, {
        method: request.method ?? (request.json === undefined ? 'GET' : 'POST'),
        headers: {
          authorization: `Bearer ${token}`,
          ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
          ...request.headers,
        },
        body: request.json === undefined ? undefined : JSON.stringify(request.json),
      }),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
    async dispose() {
      await server.stop('SIGKILL');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  if (options.waitUntilReady !== false) await ready(server, ended);
  return server;
}

async function ready(server: LoupeServer, ended: Promise<unknown>): Promise<void> {
  let dead = false;
  ended.then(() => {
    dead = true;
  });
  const deadline = Date.now() + 90_000;
  while (Date.now() < deadline && !dead) {
    const answer = await server.request('/api/runs').catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  await server.stop('SIGKILL');
  throw new Error(`The server did not become ready. It printed:\n${server.output().slice(-4000)}`);
}

/** Runs `scripts/start.mjs` until it exits, as a start that opens the running server or fails does. */
export function runStart(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): { text: string; status: number | null } {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['scripts/start.mjs', ...args], {
    cwd: root,
    env: { ...process.env, LOUPE_OPEN: '0', ...env },
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { text: `${stdout}${stderr}`, status };
}
