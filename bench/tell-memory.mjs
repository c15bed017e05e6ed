// Loaded into the server by bench/viewers.ts: at SIGUSR2 it writes its memory usage by kind to BENCH_MEMORY_FILE.
import { renameSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.BENCH_MEMORY_FILE;
if (isMainThread && file && process.argv[1]?.endsWith('start.mjs')) {
  process.on('SIGUSR2', () => {
    writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
    renameSync(`${file}.new`, file);
  });
}
