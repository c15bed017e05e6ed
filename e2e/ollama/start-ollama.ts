import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAtLeast } from '../../lib/model/server-version.ts';

const run = promisify(execFile);
const here = import.meta.dirname;

const READY_MS = 30_000;
const STOP_MS = 5_000;
/** The first version that runs models in llama.cpp's own server. */
const LLAMA_SERVER = [0, 30, 0] as const;

/** A separate real Ollama, with the models `tiny-tools` and `tiny-plain` (see README.md). */
export interface RealOllama {
  url: string;
  /** As `/api/version` reports it: `0.17.4`. */
  version: string;
  /** Whether models run in llama.cpp's own server (from 0.30), which refuses what Ollama's runner cut or kept waiting. */
  usesLlamaServer: boolean;
  /** The process ids of its runners, one for each model in memory. */
  runners(): Promise<number[]>;
  /** Stops all its processes in their tracks (SIGSTOP) until the returned function is called (SIGCONT). */
  suspend(): () => void;
  /** Ends the server with all it started, and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a real Ollama on a free loopback port with a scratch HOME, so that an Ollama of the user is neither used nor
 * changed. Uses `ollama` from PATH, a cached build, or builds one, which takes minutes the first time.
 *
 * @param environment settings of the server, such as `OLLAMA_NUM_PARALLEL`
 * @throws when Ollama can neither be found nor built, or does not start within 30 s; the message contains its output
 */
export async function startOllama(environment: Record<string, string> = {}): Promise<RealOllama> {
  const { stdout } = await run('bash', [join(here, 'install-ollama.sh')], { maxBuffer: 64 * 1024 * 1024 });
  const binary = stdout.trim();
  const home = await mkdtemp(join(tmpdir(), 'real-ollama-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const env = {
    NODE_ENV: process.env.NODE_ENV,
    PATH: process.env.PATH,
    HOME: home,
    OLLAMA_HOST: url,
    OLLAMA_MODELS: join(home, 'models'),
    OLLAMA_NUM_PARALLEL: '1',
    ...environment,
  };
  // A separate process group: the server starts runners, which must all end with it.
  const server = spawn(binary, ['serve'], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const log: string[] = [];
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => log.push(text));
  }
  const kill = () => signalGroup(server, 'SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    await end(server);
    await rm(home, { recursive: true, force: true });
  };

  let version: string;
  try {
    await ready(url, server);
    version = await versionOf(url);
    const models = [
      ['tiny-tools', 'Modelfile'],
      ['tiny-plain', 'Modelfile.plain'],
    ] as const;
    for (const [name, file] of models) await run(binary, ['create', name, '-f', file], { cwd: here, env });
  } catch (cause) {
    await stop();
    throw new Error(`Ollama did not start:\n${log.join('').slice(-4000)}`, { cause });
  }
  const runners = async () => {
    const { stdout: lines } = await run('ps', ['-o', 'pid=', '--ppid', String(server.pid)]).catch(() => ({
      stdout: '',
    }));
    return lines
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(Number);
  };
  const suspend = () => {
    signalGroup(server, 'SIGSTOP');
    return () => signalGroup(server, 'SIGCONT');
  };
  return { url, version, usesLlamaServer: isAtLeast(version, LLAMA_SERVER), runners, suspend, stop };
}

async function versionOf(url: string): Promise<string> {
  const answer: unknown = await (await fetch(`${url}/api/version`)).json();
  if (answer && typeof answer === 'object' && 'version' in answer) return String(answer.version);
  throw new Error(`/api/version says ${JSON.stringify(answer)}`);
}

async function ready(url: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline && server.exitCode === null) {
    const answers = await fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
      (response) => response.ok,
      () => false, // not listening yet
    );
    if (answers) return;
    await delay(50);
  }
  throw new Error(
    server.exitCode === null ? `no answer within ${READY_MS} ms` : `exit code ${server.exitCode}`,
  );
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  signalGroup(server, 'SIGTERM');
  await Promise.race([exited, delay(STOP_MS, undefined, { ref: false })]);
  signalGroup(server, 'SIGKILL'); // also ends runners that outlived the server
  await exited;
}

function signalGroup(server: ChildProcess, signal: NodeJS.Signals): void {
  if (server.pid === undefined) return;
  try {
    process.kill(-server.pid, signal);
  } catch (error) {
    const gone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!gone) throw error;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', resolve);
  });
  const address = probe.address();
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
