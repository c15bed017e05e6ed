import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';

/** A command that notes its process ID and does not end by itself. */
const ENDLESS = `
process.getBuiltinModule('node:fs').appendFileSync(process.env.STARTED, process.pid + '\\n');
setInterval(() => undefined, 1000);
`;
const SCRIPTS = ['ensure', 'build-state', 'installed-packages', 'running-servers', 'system-tools'];

const clones: Clone[] = [];
afterEach(() => {
  for (const { started, root } of clones.splice(0)) {
    for (const pid of started().filter(isRunning)) process.kill(pid, 'SIGKILL');
    rmSync(root, { recursive: true, force: true });
  }
});

interface Clone {
  root: string;
  /** The process IDs of the commands that were started. */
  started: () => number[];
  env: NodeJS.ProcessEnv;
}

/** A clone whose npm and builds are these commands. */
function clone({ npm }: { npm: string }): Clone {
  const root = mkdtempSync(join(tmpdir(), 'loupe-clone-'));
  const file = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const name of SCRIPTS)
    cpSync(join(import.meta.dirname, `${name}.mjs`), join(root, `scripts/${name}.mjs`));
  file('package-lock.json', '{}');
  file('npm.mjs', npm);
  for (const path of [
    'node_modules/next/dist/bin/next',
    'scripts/build-player.mjs',
    'scripts/build-server.mjs',
  ]) {
    file(path, ENDLESS);
  }
  const log = join(root, 'started');
  const started = () =>
    existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean).map(Number) : [];
  const env = {
    NODE_ENV: 'production' as const,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    npm_execpath: join(root, 'npm.mjs'),
    STARTED: log,
  };
  clones.push({ root, started, env });
  return { root, started, env };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it.each([
  { what: 'the installation', npm: ENDLESS, commands: 1, signal: 'SIGTERM' },
  { what: 'the installation', npm: ENDLESS, commands: 1, signal: 'SIGINT' },
  { what: 'the builds', npm: '', commands: 3, signal: 'SIGTERM' },
] as const)('ends $what with $signal to it alone', async ({ npm, commands, signal }) => {
  const { root, started, env } = clone({ npm });
  const ensure = spawn(process.execPath, [join(root, 'scripts/ensure.mjs'), '--build'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  ensure.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const closed = once(ensure, 'exit');
  await vi.waitFor(() => expect(started()).toHaveLength(commands));
  ensure.kill(signal);
  expect([...(await closed), printed]).toEqual([null, signal, '']);
  expect(started().filter(isRunning)).toEqual([]);
});

it('ends the builds when npm has ended, which stops only the shell that runs the script', async () => {
  const { root, started, env } = clone({ npm: '' });
  // With a command after it, no shell becomes the script itself.
  const script = '"$0" "$1" --build; exit';
  const args = ['-c', script, process.execPath, join(root, 'scripts/ensure.mjs')];
  const shell = spawn('sh', args, { env, stdio: 'ignore' });
  await vi.waitFor(() => expect(started()).toHaveLength(3));
  shell.kill('SIGTERM');
  await vi.waitFor(() => expect(started().filter(isRunning)).toEqual([]));
});
