import { spawn } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSandbox } from '../lib/sandbox/probe.ts';

// What confinement costs per command: a bare spawn and a sandboxed one by turns, so that both meet the same machine.
//   node bench/sandbox.ts [rounds]

const rounds = Number(process.argv[2] ?? 100);
const WARM_UP = 10;

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

function quantile(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(2);
}

const sandbox = await openSandbox();
if (!sandbox.report.available) throw new Error(`${sandbox.report.reason} ${sandbox.report.hint}`);
const folder = await realpath(await mkdtemp(join(tmpdir(), 'loupe-bench-')));
try {
  const sandboxed = () =>
    sandbox.run({ workspace: folder, argv: ['/bin/sh', '-c', 'true'], timeoutMs: 10_000 });
  const bare: number[] = [];
  const confined: number[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const [withoutMs, withMs] = [await timed(() => bareSpawn(folder)), await timed(sandboxed)];
    if (round < 0) continue;
    bare.push(withoutMs);
    confined.push(withMs);
  }
  const difference = Number(quantile(confined, 0.5)) - Number(quantile(bare, 0.5));
  console.info(`/bin/sh -c true, ${rounds} rounds, Node ${process.version}, user ${process.getuid?.()}, ms`);
  console.info(`  bare spawn   median ${quantile(bare, 0.5)}   p90 ${quantile(bare, 0.9)}`);
  console.info(`  sandboxed    median ${quantile(confined, 0.5)}   p90 ${quantile(confined, 0.9)}`);
  console.info(`  difference   median ${difference.toFixed(2)}   (target: below 10)`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
