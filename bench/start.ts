import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { quantile } from './quantile.ts';

// The first start of a newcomer, from `git clone` to the sign-in link, then more starts of the same clone, the memory of a
// server without work, and how long a command in a terminal takes. What is committed is measured, with no home folder and no
// npm cache. Packages are downloaded.
//   node bench/start.ts [starts]

const starts = Number(process.argv[2] ?? 5);
/** How long a server is left alone before its memory is read. */
const IDLE_MS = 5000;
const root = join(import.meta.dirname, '..');
const PHASES: { name: string; endsWith: RegExp }[] = [
  { name: 'npm, before the packages', endsWith: /installing packages/ },
  { name: 'packages', endsWith: /loupe: building/ },
  { name: 'build', endsWith: /> node scripts\/start\.mjs/ },
  { name: 'server', endsWith: /\?t=/ },
];

const scratch = mkdtempSync(join(tmpdir(), 'loupe-bench-start-'));
const clone = join(scratch, 'loupe');
const env = {
  // Uses the proxies, certificates and registry of the person who measures.
  ...process.env,
  npm_config_userconfig: process.env.npm_config_userconfig ?? join(homedir(), '.npmrc'),
  // `npm run` puts the Node of the packages first, which a newcomer doesn't have yet.
  PATH: process.env.PATH?.split(delimiter)
    .filter((path) => !path.endsWith(join('node_modules', '.bin')))
    .join(delimiter),
  HOME: join(scratch, 'home'),
  npm_config_cache: join(scratch, 'npm-cache'),
  LOUPE_DATA_DIR: join(scratch, 'data'),
  LOUPE_PORT: '0',
  LOUPE_OPEN: '0',
};

interface Started {
  /** When each phase ended, in milliseconds since the start. */
  marks: Map<string, number>;
  link: string;
  npm: ChildProcess;
}

/** Runs `npm start` until it prints the link. */
async function npmStart(): Promise<Started> {
  const startedAt = performance.now();
  const npm = spawn('npm', ['start'], { cwd: clone, env, stdio: ['ignore', 'pipe', 'pipe'] });
  npm.stderr.pipe(process.stderr);
  const marks = new Map<string, number>();
  for await (const line of createInterface(npm.stdout)) {
    for (const { name, endsWith } of PHASES)
      if (endsWith.test(line) && !marks.has(name)) marks.set(name, performance.now() - startedAt);
    if (marks.has('server')) {
      npm.stdout.resume();
      return { marks, link: line.trim(), npm };
    }
  }
  throw new Error('npm start ended without a link');
}

/** The server's process ID: the descendant of npm that runs the start script. Only Linux shows it. */
function serverOf(npm: ChildProcess): number | undefined {
  if (!existsSync('/proc/self/stat')) return undefined;
  const parents = new Map<number, number>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
    parents.set(pid, Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]));
  }
  const children = (of: number) => [...parents].filter(([, parent]) => parent === of).map(([pid]) => pid);
  let last = npm.pid;
  for (let next = last; next !== undefined; next = children(next)[0]) last = next;
  return last;
}

function rssMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** npm forwards no signals; the server ends when its parent is gone, or immediately if its process is known. */
async function stop({ npm }: Started): Promise<void> {
  const ended = new Promise((resolve) => npm.once('close', resolve));
  const server = serverOf(npm);
  if (server === undefined) npm.kill();
  else process.kill(server, 'SIGTERM');
  await ended;
}

/** How long `loupe version` takes in the clone, in milliseconds. */
function commandMs(settings: { LOUPE_DIST_DIR?: string } = {}): number {
  const startedAt = performance.now();
  execFileSync(process.execPath, [join(clone, 'bin', 'loupe.mjs'), 'version'], {
    env: { ...env, ...settings },
  });
  return performance.now() - startedAt;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(6)} s`;

try {
  mkdirSync(env.HOME);
  const begunAt = performance.now();
  execFileSync('git', ['clone', '--quiet', `file://${root}`, clone]);
  const cloned = performance.now() - begunAt;
  const first = await npmStart();
  const total = performance.now() - begunAt;
  await stop(first);
  console.info(`First start, ${availableParallelism()} processors`);
  console.info(`  ${'git clone'.padEnd(28)} ${seconds(cloned)}`);
  let before = 0;
  for (const [name, at] of first.marks) {
    console.info(`  ${name.padEnd(28)} ${seconds(at - before)}`);
    before = at;
  }
  console.info(`  ${'clone to link'.padEnd(28)} ${seconds(total)}   target: 60 s on two processors`);

  const links: number[] = [];
  const answers: number[] = [];
  const memory: number[] = [];
  for (let count = 0; count < starts; count++) {
    const startedAt = performance.now();
    const started = await npmStart();
    links.push(performance.now() - startedAt);
    const response = await fetch(new URL('/', started.link));
    await response.text();
    if (!response.ok) throw new Error(`The dashboard answered with status ${response.status}`);
    answers.push(performance.now() - startedAt);
    await wait(IDLE_MS);
    const server = serverOf(started.npm);
    if (server !== undefined) memory.push(rssMegabytes(server));
    await stop(started);
  }
  const median = (values: readonly number[]) => quantile(values, 0.5);
  console.info(`Later starts, median of ${starts}`);
  console.info(`  ${'npm start to link'.padEnd(28)} ${seconds(median(links))}   target: 2 s`);
  console.info(`  ${'npm start to first page'.padEnd(28)} ${seconds(median(answers))}`);
  if (memory.length > 0) {
    const figure = `${median(memory).toFixed(0).padStart(6)} MB`;
    console.info(
      `  ${`memory, idle for ${IDLE_MS / 1000} s`.padEnd(28)} ${figure}  after one page; target: 180 MB`,
    );
  }

  // Another folder for builds, which has none.
  const UNBUILT = { LOUPE_DIST_DIR: '.next-unbuilt' };
  const rounds = Array.from({ length: starts }, () => [commandMs(), commandMs(UNBUILT)] as const);
  const bundled = median(rounds.map(([ms]) => ms));
  const fromSources = median(rounds.map(([, ms]) => ms));
  console.info(`loupe version, median of ${starts}`);
  console.info(`  ${'from the bundle'.padEnd(28)} ${bundled.toFixed(0).padStart(6)} ms`);
  const times = (fromSources / bundled).toFixed(1);
  console.info(
    `  ${'from the sources'.padEnd(28)} ${fromSources.toFixed(0).padStart(6)} ms  ${times} times as long`,
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
