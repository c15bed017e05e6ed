import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import next from 'next';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { AppError } from '../errors/app-error.ts';
import { createLoupeServer, type PageHandler } from '../http/http-server.ts';
import { isLoupe, linkOfRunningServer } from '../server/sign-in-link.ts';
import { surviveExceptions } from '../server/survive-exceptions.ts';
import { openBrowser } from './open-browser.ts';
import { AlreadyRunningError } from './open-run-service.ts';
import { startService } from './start-service.ts';

/** Whatever hangs, the process is gone this long after it was asked to stop. */
const STOP_WITHIN_MS = 6000;
const ORPHAN_CHECK_MS = 500;
/**
 * The heap may grow by this share of what is in use before it is collected. Left to itself the engine lets garbage grow to
 * four times that when many viewers follow a run: 530 MB after 8 runs with 200 viewers instead of 450 MB, at the same delay.
 */
const HEAP_GROWING_PERCENT = 60;

/**
 * Starts Loupe: the service, the gate and Next behind it, in this process.
 *
 * @param options.root the folder of the program
 * @param options.host what to listen on; anything but loopback makes the dashboard reachable from other machines
 */
export async function main(options: { root: string; host?: string }): Promise<void> {
  const host = options.host ?? '127.0.0.1';
  try {
    await start(readEnvironment(process.env), { root: options.root, host });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    console.error(`\n${error.message}${error.hint ? `\n${error.hint}` : ''}\n`);
    process.exitCode = 1;
  }
}

async function start(environment: Environment, options: { root: string; host: string }): Promise<void> {
  const { host, root } = options;
  requireBuild(root);
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  surviveExceptions();
  let opened: Awaited<ReturnType<typeof startService>>;
  try {
    opened = await startService(environment, { hostnames: ownNames(host), port: environment.port });
  } catch (error) {
    if (error instanceof AlreadyRunningError && (await pointToRunning(environment, error.holder?.url)))
      return;
    throw error;
  }
  const { gate, service } = opened;
  let handler: PageHandler = async ({ url }, response) => {
    const error = { code: 'starting', message: 'Loupe is starting.', hint: 'Ask again in a second.' };
    const asked = url?.startsWith('/api/') ? JSON.stringify({ error }) : error.message;
    response.writeHead(503, { 'retry-after': '1' }).end(asked);
  };
  const server = createLoupeServer({ gate, page: (request, response) => handler(request, response) });
  let port: number;
  try {
    port = await listen(server, environment, host);
  } catch (error) {
    await opened.close();
    throw error;
  }
  gate.listensOn(port);
  stopOnSignals(server, () => opened.close());

  const app = next({ dev: false, dir: root, hostname: host, port, httpServer: server });
  await app.prepare();
  handler = app.getRequestHandler();

  const base = `http://${urlHost(host)}:${port}`;
  await opened.announce(base);
  const link = `${base}/?t=${gate.newTicket()}`;
  if (host !== '127.0.0.1') sayReachable(host, port);
  console.info(`\nLoupe is ready. Open it with this link; it works once:\n\n  ${link}\n`);
  console.info(`Data: ${environment.dataDir}\nStop: Ctrl-C\n`);
  if (environment.openBrowser) openBrowser(link);
  await opened.sharing.resume();
  await service.resumeUnfinished();
  await opened.experiments.resume();
}

async function listen(server: Server, { port, dataDir, token }: Environment, host: string): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw await listenError(cause, { port, host, dataDir, token });
  }
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

async function listenError(
  cause: unknown,
  { port, host, ...secrets }: { port: number; host: string; dataDir: string; token: string | undefined },
): Promise<unknown> {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') {
    const url = `http://${urlHost(host)}:${port}`;
    const link = await linkOfRunningServer(url, secrets);
    const who = link || (await isLoupe(url)) ? 'another Loupe, with other data' : 'another program';
    return new AppError({
      code: 'port_in_use',
      message: `Port ${port} is used by ${who}.`,
      hint: link
        ? `Open that one: ${link}`
        : `Choose another port, for example: LOUPE_PORT=${port + 1} npm start`,
      cause,
    });
  }
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL') {
    return new AppError({
      code: 'cannot_listen',
      message: `Loupe cannot listen on ${host}, port ${port}: ${cause instanceof Error ? cause.message : code}.`,
      hint: 'Choose a port from 1024 on with LOUPE_PORT, and an address of this machine with --host.',
      cause,
    });
  }
  return cause;
}

/** A second start leads to the first. Returns `false` when the first does not answer. */
async function pointToRunning(environment: Environment, url: string | undefined): Promise<boolean> {
  const link = url === undefined ? undefined : await linkOfRunningServer(url, environment);
  if (link === undefined) return false;
  console.info(`\nLoupe is already running. Open it with this link; it works once:\n\n  ${link}\n`);
  if (environment.openBrowser) openBrowser(link);
  return true;
}

/**
 * Ends in good order on Ctrl-C and SIGTERM, and when the shell that started it is gone: npm does not pass signals on,
 * and the server would stay behind unseen.
 */
function stopOnSignals(server: Server, close: () => Promise<void>): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) return process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    server.close();
    try {
      await close();
      process.exitCode = 0;
    } catch (error) {
      console.error('Stopping met an error:', error);
      process.exitCode = 1;
    }
    server.closeAllConnections();
    process.exit();
  };
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void stop();
  }, ORPHAN_CHECK_MS).unref();
}

function requireBuild(root: string): void {
  const folder = process.env.LOUPE_DIST_DIR ?? '.next';
  if (existsSync(join(root, folder, 'BUILD_ID'))) return;
  throw new AppError({
    code: 'not_built',
    message: `The dashboard has not been built: there is nothing in ${join(root, folder)}.`,
    hint: 'Start with "npm start", which builds it, or run "npm run build" first.',
  });
}

/** Names under which a server on this address may be asked, beside the loopback ones. */
function ownNames(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [urlHost(host)];
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const names = addresses.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  return [...names, hostname(), `${hostname()}.local`];
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return hostname();
  return host.includes(':') ? `[${host}]` : host;
}

function sayReachable(host: string, port: number): void {
  console.warn(
    `\nLoupe listens on ${host}, port ${port}: other machines can reach it. Whoever has the operator token can run\n` +
      'commands here. The connection is not encrypted: use it in a network you trust, or through an SSH tunnel.',
  );
}
