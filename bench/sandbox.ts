import { spawn } from 'node:child_process';
import { chown, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSandbox } from '../lib/sandbox/probe.ts';
import { quantile } from './quantile.ts';

// The cost of confinement per command: bare and sandboxed spawns alternate, so that both meet the same load.
//   node bench/sandbox.ts [rounds]

const rounds = Number(process.argv[2] ?? 100);
const WARM_UP = 10;
const NOBODY = 65534;
/** The fastest tenth shows the cost of the work itself; the rest includes other load on the machine. */
const QUANTILES = [0.1, 0.5, 0.9];

function bareSpawn(folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', 'true'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
}

const sandbox = await openSandbox();
if (!sandbox.report.available) throw new Error(`${sandbox.report.reason} ${sandbox.report.hint}`);
const isRoot = process.getuid?.() === 0;
const folder = await realpath(await mkdtemp(join(tmpdir(), 'loupe-bench-')));
const repository = await realpath(await mkdtemp(join(tmpdir(), 'loupe-bench-')));
await mkdir(join(repository, '.git'));
const rootFolder = await realpath(await mkdtemp(join(tmpdir(), 'loupe-bench-')));
// As root, a command in someone's workspace is run as that user; in root's own it gets a control group around it.
if (isRoot)
  for (const path of [folder, repository, join(repository, '.git')]) await chown(path, NOBODY, NOBODY);
try {
  const sandboxed = (workspace: string) =>
    sandbox.run({ workspace, argv: ['/bin/sh', '-c', 'true'], timeoutMs: 10_000 });
  const ways: { name: string; run: () => Promise<unknown>; times: number[] }[] = [
    { name: 'bare spawn', run: () => bareSpawn(folder), times: [] },
    { name: 'sandboxed', run: () => sandboxed(folder), times: [] },
    // Its .git is mounted again read-only, and the mounts are checked.
    { name: 'sandboxed, a repository', run: () => sandboxed(repository), times: [] },
    ...(isRoot ? [{ name: "sandboxed, root's workspace", run: () => sandboxed(rootFolder), times: [] }] : []),
  ];
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const { run, times } of ways) {
      const ms = await timed(run);
      if (round >= 0) times.push(ms);
    }
  }
  const bare = ways[0]?.times ?? [];
  console.info(`/bin/sh -c true, ${rounds} rounds, Node ${process.version}, user ${process.getuid?.()}, ms`);
  console.info(
    `  ${' '.repeat(28)} ${QUANTILES.map((share) => `p${share * 100} (over bare, ratio)`.padEnd(26)).join('')}`,
  );
  for (const { name, times } of ways) {
    const cells = QUANTILES.map((share) => {
      const [own, base] = [quantile(times, share), quantile(bare, share)];
      const over = `(${(own - base).toFixed(2)}, ${(own / base).toFixed(1)})`;
      return `${own.toFixed(2).padStart(6)} ${over}`.padEnd(26);
    });
    console.info(`  ${name.padEnd(28)} ${cells.join('')}`);
  }
  console.info('  target: a sandboxed command costs less than 10 ms over a bare one');
} finally {
  await rm(folder, { recursive: true, force: true });
  await rm(repository, { recursive: true, force: true });
  await rm(rootFolder, { recursive: true, force: true });
}
