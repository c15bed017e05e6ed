import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createFsyncHook } from '../testing/fsync-hook.ts';

const PROGRAM = `
  const { once } = await import('node:events');
  const { monitorEventLoopDelay } = await import('node:perf_hooks');
  const at = (file) => import(new URL(file, process.env.HERE).href);
  const { readEnvironment } = await at('../config/environment.ts');
  const { openRunService } = await at('../app/open-run-service.ts');
  const { createRunRequest } = await at('../api/create-run.ts');
  const { startFakeOllama } = await at('../demo/fake-ollama.ts');
  const delayFsyncs = (ms) => { process.send(ms); return once(process, 'message'); };
  const ollama = await startFakeOllama({ record: false });
  ollama.add({ name: 'short', steps: [{ reply: { content: 'The work is completed.' } }] });
  const { service } = await openRunService(readEnvironment({ ...process.env, OLLAMA_HOST: ollama.url }));
  await delayFsyncs(2000);
  const lag = monitorEventLoopDelay({ resolution: 10 });
  lag.enable();
  const began = performance.now();
  const starting = service.start(createRunRequest.parse({ task: 'Say so', model: 'short', agentic: false }));
  let startedMs = 0;
  void starting.then(() => { startedMs = performance.now() - began; });
  let slowestRead = 0;
  while (performance.now() - began < 7000) {
    const asked = performance.now();
    await service.stored.list({ limit: 50 });
    slowestRead = Math.max(slowestRead, performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  lag.disable();
  const { run } = await starting;
  await delayFsyncs(0);
  let end = run;
  while (end.phase !== 'ended') {
    await new Promise((resolve) => setTimeout(resolve, 50));
    end = (await service.stored.get(run.id)).run;
  }
  console.log(JSON.stringify({ lagMs: lag.max / 1e6, slowestRead, startedMs, reason: end.termination_reason }));
  process.exit();
`;

it('fault matrix: a disk that takes two seconds per event blocks neither readers nor the event loop', async ({
  skip,
}) => {
  const root = mkdtempSync(join(tmpdir(), 'loupe-slow-'));
  try {
    const hook = createFsyncHook(root);
    if (!hook) return skip('no C compiler to slow the disk with');
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      env: {
        NODE_ENV: 'test',
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        HERE: import.meta.url,
        ...hook.env,
        LOUPE_DATA_DIR: join(root, 'data'),
        LOUPE_MIN_FREE_MB: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      timeout: 50_000,
    });
    child.on('message', (ms) => {
      hook.delay(Number(ms));
      child.send('delayed');
    });
    if (!child.stdout || !child.stderr) throw new Error('The process has no output');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(stdout, stderr).not.toBe('');
    const told = JSON.parse(stdout);
    console.info(
      `writes of 2 s: event loop lag at most ${told.lagMs.toFixed(0)} ms, slowest list ${told.slowestRead.toFixed(0)} ms`,
    );
    // A run has started when its first event is on disk, and the disk was really slow.
    expect(told.startedMs).toBeGreaterThanOrEqual(2000);
    expect(told.reason).toBe('final_answer');
    // Less than the 2000 ms of one write: nothing waited for the disk.
    expect(told.lagMs).toBeLessThan(2000);
    expect(told.slowestRead).toBeLessThan(2000);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
