import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Makes each write to the disk take two seconds, while the file SLOW_DISK is there. */
const SLOW_FSYNC = `
  #define _GNU_SOURCE
  #include <dlfcn.h>
  #include <stdlib.h>
  #include <unistd.h>
  static void slow(void) { const char *flag = getenv("SLOW_DISK"); if (flag && access(flag, F_OK) == 0) sleep(2); }
  int fsync(int fd) { slow(); return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd); }
  int fdatasync(int fd) { slow(); return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd); }
`;

const PROGRAM = `
  const { rmSync, writeFileSync } = await import('node:fs');
  const { monitorEventLoopDelay } = await import('node:perf_hooks');
  const at = (file) => import(new URL(file, process.env.HERE).href);
  const { readEnvironment } = await at('../config/environment.ts');
  const { openRunService } = await at('../app/open-run-service.ts');
  const { createRunRequest } = await at('../api/create-run.ts');
  const { startFakeOllama } = await at('../demo/fake-ollama.ts');
  const ollama = await startFakeOllama({ record: false });
  ollama.add({ name: 'short', steps: [{ reply: { content: 'The work is completed.' } }] });
  const { service } = await openRunService(readEnvironment({ ...process.env, OLLAMA_HOST: ollama.url }));
  writeFileSync(process.env.SLOW_DISK, '');
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
  rmSync(process.env.SLOW_DISK);
  let end = run;
  while (end.phase !== 'ended') {
    await new Promise((resolve) => setTimeout(resolve, 50));
    end = (await service.stored.get(run.id)).run;
  }
  console.log(JSON.stringify({ lagMs: lag.max / 1e6, slowestRead, startedMs, reason: end.termination_reason }));
  process.exit();
`;

function compiled(folder: string): string | undefined {
  const library = join(folder, 'slow-fsync.so');
  writeFileSync(join(folder, 'slow-fsync.c'), SLOW_FSYNC);
  const cc = spawnSync('cc', ['-shared', '-fPIC', '-o', library, join(folder, 'slow-fsync.c'), '-ldl']);
  return cc.status === 0 ? library : undefined;
}

it('fault matrix: a disk that takes two seconds per event blocks neither readers nor the event loop', ({
  skip,
}) => {
  const root = mkdtempSync(join(tmpdir(), 'loupe-slow-'));
  try {
    const library = process.platform === 'linux' ? compiled(root) : undefined;
    if (!library) return skip('no C compiler to slow the disk with');
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      env: {
        NODE_ENV: 'test',
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        HERE: import.meta.url,
        LD_PRELOAD: library,
        SLOW_DISK: join(root, 'slow'),
        LOUPE_DATA_DIR: join(root, 'data'),
        LOUPE_MIN_FREE_MB: '0',
      },
      encoding: 'utf8',
      timeout: 50_000,
    });
    expect(stdout, stderr).not.toBe('');
    const told = JSON.parse(stdout);
    console.info(
      `writes of 2 s: event loop lag at most ${told.lagMs.toFixed(0)} ms, slowest list ${told.slowestRead.toFixed(0)} ms`,
    );
    // A run is started when its first event is on disk, and the disk was slow indeed.
    expect(told.startedMs).toBeGreaterThanOrEqual(2000);
    expect(told.reason).toBe('final_answer');
    // Less than the 2000 ms of one write: nothing waited for the disk.
    expect(told.lagMs).toBeLessThan(2000);
    expect(told.slowestRead).toBeLessThan(2000);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
