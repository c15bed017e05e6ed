import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { type LoupeServer, startLoupe } from '../e2e/loupe-server.ts';
import { partingLogs } from '../e2e/parting-logs.ts';
import { storeRuns } from '../e2e/stored-run.ts';
import { startFakeOllama } from '../lib/demo/fake-ollama.ts';
import { heapMb, openBrowser } from './browser.ts';
import { quantile } from './quantile.ts';

// The cost of a long comparison: the server's time for two runs of ten thousand events and the longest block of its
// event loop meanwhile, in which no stream moves; the same for everything else that reads a whole log; then, in a
// headless browser, how evenly the page is drawn while it scrolls, and its memory. Needs a build of the dashboard.
//   node bench/compare.ts [events]

const events = Number(process.argv[2] ?? 10_000);
/** Iterations: a run of 10,000 events has 625. */
const APART_AT = Math.ceil(events / 100);
const LATE = Math.ceil(events / 20);
const ROUNDS = 5;
const BLOCK_MS = 50;
const HEAP_MB = 300;
const FRAMES = 300;
const A = '20261121-0900-bench-a';
const B = '20261121-0901-bench-b';

const folder = mkdtempSync(join(tmpdir(), 'loupe-bench-compare-'));
const blocksFile = join(folder, 'blocks');

/** The longest block of the server's event loop since the last query, in milliseconds. */
async function longestBlock(loupe: LoupeServer): Promise<number> {
  rmSync(blocksFile, { force: true });
  loupe.process.kill('SIGUSR2');
  while (!existsSync(blocksFile)) await delay(10);
  return Number(readFileSync(blocksFile, 'utf8'));
}

/** Median time of a request until its last byte, its length, and the longest block that it caused. */
async function measured(loupe: LoupeServer, path: string, json?: unknown) {
  const times: number[] = [];
  const blocks: number[] = [];
  let bytes = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    await delay(100);
    await longestBlock(loupe);
    const started = performance.now();
    const answer = await loupe.request(path, json === undefined ? {} : { json });
    bytes = (await answer.arrayBuffer()).byteLength;
    const ms = performance.now() - started;
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
    await delay(20);
    const block = await longestBlock(loupe);
    if (round === 0) continue; // the first has its code compiled
    times.push(ms);
    blocks.push(block);
  }
  return { ms: quantile(times, 0.5), block: quantile(blocks, 0.5), longest: Math.max(...blocks), bytes };
}

/** Scrolls through the whole page, a part of it with each frame. */
function framesWhileScrolling(page: Page): Promise<{ frames: number[]; rows: number }> {
  return page.evaluate(
    (count) =>
      new Promise<{ frames: number[]; rows: number }>((done) => {
        const frames: number[] = [];
        let rows = 0;
        let last = performance.now();
        const next = () => {
          const now = performance.now();
          frames.push(now - last);
          last = now;
          rows = Math.max(rows, document.querySelectorAll('[data-step]').length);
          window.scrollTo(0, (document.documentElement.scrollHeight * frames.length) / count);
          if (frames.length < count) requestAnimationFrame(next);
          else done({ frames: frames.slice(1), rows });
        };
        requestAnimationFrame(next);
      }),
    FRAMES,
  );
}

const ollama = await startFakeOllama({});
const dataDir = mkdtempSync(join(tmpdir(), 'loupe-bench-compare-data-'));
const { a, b } = partingLogs({ events, apartAt: APART_AT });
await storeRuns(dataDir, { [A]: a, [B]: b });
const loupe = await startLoupe({
  ollamaUrl: ollama.url,
  dataDir,
  env: {
    LOUPE_MIN_FREE_MB: '0',
    BENCH_BLOCKS_FILE: blocksFile,
    NODE_OPTIONS: `--import ${new URL('tell-blocks.mjs', import.meta.url).href}`,
  },
});
const context = await openBrowser(loupe);
try {
  const compare = `/api/compare?a=${A}&b=${B}`;
  const run = `/api/runs/${A}`;
  const requests: [name: string, path: string, json?: unknown][] = [
    [`compare, 2 x ${events} events`, compare],
    ['log', `${run}/log`],
    ['run file', `${run}/export`],
    ['run file, masked', `${run}/export?redact=1`],
    ['scenario', `${run}/export?format=scenario`],
    ['spans', `${run}/export?format=spans`],
    ['page', `${run}/export.html`],
    ['summary', `${run}/export.md`],
    ['request of the last call', `${run}/calls/${LATE}/request`],
    ['place to fork', `${run}/fork?before_iteration=${LATE}`],
    ['preview of a share', `${run}/shares/preview`, {}],
    ['search', '/api/search?q=reading'],
  ];
  await delay(500);
  await longestBlock(loupe);
  await delay(1000);
  console.info(
    `longest block of the idle server within a second: ${(await longestBlock(loupe)).toFixed(0)} ms\n`,
  );
  console.info('median of the server thread, ms             time   longest block   (of all)       MB');
  const missed: string[] = [];
  for (const [name, path, json] of requests) {
    const { ms, block, longest, bytes } = await measured(loupe, path, json);
    const cells = [
      ms.toFixed(0).padStart(8),
      block.toFixed(0).padStart(16),
      longest.toFixed(0).padStart(11),
      (bytes / 1e6).toFixed(1).padStart(9),
    ];
    console.info(`${name.padEnd(40)}${cells.join('')}`);
    if (path === compare && block > BLOCK_MS) missed.push(`block of ${block.toFixed(0)} ms while comparing`);
  }

  const page = await context.newPage();
  const opened = performance.now();
  await page.goto(`/compare?a=${A}&b=${B}`);
  await page.locator(`#step-${APART_AT}`).waitFor();
  console.info(`\nthe first difference is on the screen after ${(performance.now() - opened).toFixed(0)} ms`);
  const { frames, rows } = await framesWhileScrolling(page);
  const heap = await heapMb(page);
  console.info(
    `frame while scrolling: p50 ${quantile(frames, 0.5).toFixed(0)} ms, p95 ${quantile(frames, 0.95).toFixed(0)} ms, longest ${Math.max(...frames).toFixed(0)} ms`,
  );
  console.info(
    `iterations drawn at a time: at most ${rows}; heap ${heap.toFixed(0)} MB (goal: ${HEAP_MB} MB)`,
  );
  if (heap > HEAP_MB) missed.push(`heap of ${heap.toFixed(0)} MB`);
  console.info(missed.length === 0 ? '\nall goals are met' : `\nMISSED: ${missed.join(', ')}`);
  if (missed.length > 0) process.exitCode = 1;
} finally {
  await context.browser()?.close();
  await loupe.dispose();
  await ollama.close();
  rmSync(folder, { recursive: true });
}
