import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { type Environment, readEnvironment, SettingsError } from '../config/environment.ts';
import { dashboardFolder } from '../config/program-build.ts';
import { AppError } from '../errors/app-error.ts';
import { ApiRoutes } from '../http/api-routes.ts';
import { createLoupeServer, type PageHandler } from '../http/http-server.ts';
import { StaticFiles } from '../http/static-files.ts';
import { whileStarting } from '../http/while-starting.ts';
import { errno } from '../util/errno.ts';
import { cleanConsole } from './clean-console.ts';
import { openBrowser } from './open-browser.ts';
import { AlreadyRunningError } from './open-run-service.ts';
import { Pages } from './pages.ts';
import { reachWarning } from './reach-warning.ts';
import { isLoupe, linkOfRunningServer } from './sign-in-link.ts';
import { startService } from './start-service.ts';
import { surviveExceptions } from './survive-exceptions.ts';

/** The process exits at the latest this long after it was asked to stop. */
const STOP_WITHIN_MS = 6000;
const ORPHAN_CHECK_MS = 500;
/**
 * How much the heap may grow, relative to live data, before garbage is collected. By default V8 lets it grow to four
 * times that when many viewers follow a run: 530 MB after 8 runs with 200 viewers instead of 450 MB, at the same latency.
 */
const HEAP_GROWING_PERCENT = 60;
/** The paths that clients request first; other route files are loaded on demand. */
const FIRST_ROUTES = ['/api/runs', '/api/runs/any/events', '/api/stream'];

/**
 * Starts Loupe in this process: the service, the gate, and behind it the API and the pages.
 *
 * @param options.root the program's folder
 * @param options.routes the folder of the API's route files
 * @param options.host the address to listen on; anything but loopback makes the dashboard reachable from other machines
 */
export async function main(options: { root: string; routes: string; host?: string }): Promise<void> {
  const host = options.host ?? '127.0.0.1';
  cleanConsole();
  try {
    await start(readEnvironment(process.env), { ...options, host });
  } catch (error) {
    if (error instanceof SettingsError) {
      const problems = error.problems.map((problem) => `  ${problem}`);
      print(console.error, '', SettingsError.heading, '', ...problems, '', error.hint, '');
    } else if (error instanceof AppError) print(console.error, '', error.message, error.hint, '');
    else console.error('Loupe could not start:', error);
    // Handles left open by a failed start must not keep the process, and its lock on the data, alive.
    process.exit(1);
  }
}

async function start(
  environment: Environment,
  options: { root: string; routes: string; host: string },
): Promise<void> {
  const { host, root } = options;
  const build = requireBuild(root);
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
  let handler: PageHandler = whileStarting;
  const server = createLoupeServer({
    gate,
    page: (request, response) => handler(request, response),
    staticFiles: new StaticFiles(join(build, 'static')),
  });
  let address: AddressInfo;
  try {
    address = await listen(server, environment, host);
  } catch (error) {
    await opened.close();
    throw error;
  }
  const { port } = address;
  gate.listensOn(port, address.address);
  const stop = stopOnSignals(server, () => opened.close());
  void opened.outdated?.then(({ message, hint }) => {
    print(console.error, '', message, hint, '');
    void stop(1);
  });

  const pages = new Pages({ root, host, port, server });
  const routes = new ApiRoutes(options.routes);
  await routes.load(FIRST_ROUTES);
  // Before anyone can act on these runs: such a request waits for its run to be resumed instead of claiming it, too.
  const resumed = service.resumeUnfinished();
  resumed.catch(() => undefined); // awaited below
  handler = routes.before(pages.answer);

  const base = `http://${urlHost(host)}:${port}`;
  await opened.announce(base);
  const link = `${base}/?t=${gate.newTicket()}`;
  print(console.warn, ...reachWarning({ address: address.address, host, port }));
  if (process.getuid?.() === 0) print(console.warn, ...RUNS_AS_ROOT);
  print(console.info, '', 'Loupe is ready. Open it with this link; it works once:', '', `  ${link}`, '');
  print(console.info, `Data: ${environment.dataDir}`, 'Stop: Ctrl-C', '');
  if (environment.openBrowser) {
    openBrowser(link);
    // While the browser starts. The request for the page tries again and shows a failure, too.
    pages.load().catch((error: unknown) => console.error('The pages could not be loaded:', error));
  }
  await opened.sharing.resume();
  await resumed;
  await opened.experiments.resume();
  opened.benchmarks.start();
}

async function listen(server: Server, { port }: Environment, host: string): Promise<AddressInfo> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw await listenError(cause, { port, host });
  }
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new TypeError('The server has no port');
  return address;
}

/** No permission for the port, not an address of this machine, or not an address at all. */
const CANNOT_LISTEN = new Set(['EACCES', 'EADDRNOTAVAIL', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN']);

async function listenError(cause: unknown, { port, host }: { port: number; host: string }): Promise<unknown> {
  const code = errno(cause);
  if (code === 'EADDRINUSE') {
    const url = `http://${urlHost(host)}:${port}`;
    // We hold the lock on the data, so that server has other data: do not request a sign-in link from it. Do
    // not suggest the next port either, where that server may serve shared runs.
    const other = port <= 65_533 ? port + 2 : port - 2;
    const who = (await isLoupe(url)) ? 'another Loupe with a different data directory' : 'another program';
    return new AppError({
      code: 'port_in_use',
      message: `Port ${port} is used by ${who}.`,
      hint: `Choose another port, for example: LOUPE_PORT=${other} npm start`,
      cause,
    });
  }
  if (CANNOT_LISTEN.has(code ?? '')) {
    return new AppError({
      code: 'cannot_listen',
      message: `Loupe cannot listen on ${host}, port ${port}: ${cause instanceof Error ? cause.message : code}.`,
      hint: 'Choose a port of 1024 or above with LOUPE_PORT, and an address of this machine with --host.',
      cause,
    });
  }
  return cause;
}

/** Prints the sign-in link of the running server. Returns `false` if it does not answer. */
async function pointToRunning(environment: Environment, url: string | undefined): Promise<boolean> {
  const link = url === undefined ? undefined : await linkOfRunningServer(url, environment);
  if (link === undefined) return false;
  print(
    console.info,
    ...['', 'Loupe is already running. Open it with this link; it works once:', '', `  ${link}`, ''],
  );
  if (environment.openBrowser) openBrowser(link);
  return true;
}

/**
 * Shuts down gracefully on Ctrl-C and SIGTERM, when its terminal is closed (SIGHUP), and when the parent process is gone:
 * npm does not forward signals, so the server would keep running unnoticed.
 *
 * @returns a function that shuts down for any other reason
 */
function stopOnSignals(server: Server, close: () => Promise<void>): (exitCode?: number) => Promise<void> {
  let stopping = false;
  const stop = async (exitCode = 0) => {
    if (stopping) return process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    server.close();
    try {
      await close();
      process.exitCode = exitCode;
    } catch (error) {
      console.error('Shutdown failed:', error);
      process.exitCode = 1;
    }
    server.closeAllConnections();
    process.exit();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop());
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void stop();
  }, ORPHAN_CHECK_MS).unref();
  return stop;
}

/** The folder of the built dashboard. @throws {AppError} `not_built` */
function requireBuild(root: string): string {
  const folder = dashboardFolder(root);
  if (existsSync(join(folder, 'BUILD_ID'))) return folder;
  throw new AppError({
    code: 'not_built',
    message: `The dashboard has not been built: ${folder} has no build.`,
    hint: 'Start with "npm start", which builds it, or run "npm run build" first.',
  });
}

/** Host names of a server on this address, in addition to the loopback names. */
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

/** Prints line by line, because the console escapes line breaks. */
function print(write: (line: string) => void, ...lines: (string | undefined)[]): void {
  for (const line of lines) if (line !== undefined) write(line);
}

const RUNS_AS_ROOT = [
  '',
  'Loupe runs as root. Commands then run as the owner of their workspace, or as root without privileges in a workspace that',
  'root owns; the health page says which limits do not hold for root. Start Loupe as an ordinary user to have them all.',
];
