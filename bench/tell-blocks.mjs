// Loaded into the server by bench/compare.ts: at SIGUSR2 it writes the longest block of its event loop since the last time,
// in milliseconds, to BENCH_BLOCKS_FILE.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env.BENCH_BLOCKS_FILE;
if (isMainThread && file && process.argv[1]?.endsWith('start.mjs')) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('SIGUSR2', () => {
    writeFileSync(`${file}.new`, String(delay.max / 1e6));
    renameSync(`${file}.new`, file);
    delay.reset();
  });
}
