import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { type LoupeServer, startLoupe } from '../e2e/loupe-server.ts';
import { endOf, forceStopAll, logOf, startRun } from '../e2e/runs.ts';
import { storeRuns } from '../e2e/stored-run.ts';
import { startFakeOllama } from '../lib/demo/fake-ollama.ts';
import { longLog } from '../lib/testing/sample-logs.ts';
import { heapMb, openBrowser } from './browser.ts';
import { quantile } from './quantile.ts';
import { writeCall } from './write-call.ts';

// What a reader of the dashboard waits for, in a headless browser on the production build: how long an event
// takes from being written to being drawn while a run produces about 200 per second, how evenly the page is
// drawn meanwhile and how long its longest task is, how soon a run of ten thousand events can be used, what
// it holds in memory, how soon a 13th tab is live, and how much JavaScript the first page loads. Needs a
// build of the dashboard.
//   node bench/dashboard.ts [events]

const events = Number(process.argv[2] ?? 10_000);
const LATENCY_P95_MS = 100;
const INTERACTIVE_MS = 1000;
const HEAP_MB = 300;
const THIRTEENTH_MS = 1000;
/** A key press or click waits at most for one task of the page. */
const LONGEST_TASK_MS = 200;
const FIRST_PAGE_KB = 250;
const OPENINGS = 5;

/** Records when each row was drawn, and how long each frame and long task took, from the first script of the page on. */
function watchPage(): void {
  const shown: [key: string, at: number][] = [];
  const frames: number[] = [];
  /** Tasks over 50 ms, because browsers report no shorter ones. */
  const tasks: number[] = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
  const known = new Set<string>();
  let last = performance.now();
  // Rows are drawn within a frame; the message arrives after that frame.
  const look = () => {
    const fresh: string[] = [];
    for (const article of document.querySelectorAll('article[id^="row-e"]')) {
      if (known.has(article.id)) continue;
      known.add(article.id);
      fresh.push(article.id.slice(5));
    }
    if (fresh.length === 0) return;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      const at = performance.timeOrigin + performance.now();
      for (const key of fresh) shown.push([key, at]);
    };
    port2.postMessage(0);
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
  const frame = (now: number) => {
    frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  Object.assign(window, { bench: { shown, frames, tasks } });
}

interface Watched {
  shown: [key: string, at: number][];
  frames: number[];
  tasks: number[];
}

const watched = (page: Page) => page.evaluate(() => (window as unknown as { bench: Watched }).bench);

async function following(
  loupe: LoupeServer,
  page: Page,
): Promise<{ latencies: number[]; frames: number[]; tasks: number[] }> {
  await page.addInitScript(watchPage);
  const { id } = await startRun(loupe, {
    task: 'Write',
    model: 'many',
    max_iterations: 100,
    stall_guard: false,
  });
  await page.goto(`/runs/${id}`);
  await page.locator('[data-connection="live"]').waitFor();
  const openedAt = Date.now();
  // The time of opening the page is not part of following.
  const before = (await watched(page)).tasks.length;
  await endOf(loupe, id);
  await page.locator('[data-connection="closed"]').waitFor();
  const at = new Map((await logOf(loupe, id)).map((event) => [String(event.seq), event.at]));
  const { shown, frames, tasks } = await watched(page);
  const latencies = shown.flatMap(([seq, seen]) => {
    const written = at.get(seq);
    return written === undefined || written < openedAt ? [] : [seen - written];
  });
  const seconds = (at.size > 0 ? (Math.max(...at.values()) - openedAt) / 1000 : 1) || 1;
  const made = [...at.values()].filter((written) => written >= openedAt).length;
  console.info(
    `following: ${made} events in ${seconds.toFixed(1)} s (${(made / seconds).toFixed(0)} a second), ${latencies.length} rows seen`,
  );
  return { latencies, frames: frames.slice(10), tasks: tasks.slice(before) };
}

/** How much JavaScript a page loads, as sent. */
async function scriptKb(page: Page, path: string): Promise<number> {
  await page.goto(path, { waitUntil: 'load' });
  const bytes = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter((entry) => entry instanceof PerformanceResourceTiming && entry.name.endsWith('.js'))
      .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
  );
  return bytes / 1000;
}

/** Checks once per frame: Playwright's waits slow down to a check every half second. */
const seen = (page: Page, selector: string) =>
  page.waitForFunction((wanted) => document.querySelector(wanted) !== null, selector, { polling: 'raf' });

/** From the request for the page until the end of the run is drawn and a key has moved the reader to the first row. */
async function opening(page: Page, runId: string): Promise<{ drawnMs: number; usableMs: number }> {
  await page.goto('about:blank');
  const started = performance.now();
  await page.goto(`/runs/${runId}`, { waitUntil: 'commit' });
  await seen(page, '[aria-label="How the run ended"]');
  await seen(page, '[data-connection="closed"]');
  const drawnMs = performance.now() - started;
  await page.keyboard.press('g');
  await seen(page, '#row-e1:focus');
  return { drawnMs, usableMs: performance.now() - started };
}

/** How soon a 13th tab is live beside twelve open ones that follow the same run: HTTP/1.1 allows six connections. */
async function thirteenthTab(loupe: LoupeServer, context: BrowserContext): Promise<number> {
  const { id } = await startRun(loupe, { task: 'Wait', model: 'waits' });
  const tabs: Page[] = [];
  const open = async () => {
    const tab = await context.newPage();
    tabs.push(tab);
    const started = performance.now();
    await tab.goto(`/runs/${id}`, { waitUntil: 'commit' });
    await seen(tab, '[data-connection="live"]');
    return performance.now() - started;
  };
  for (let number = 1; number <= 12; number += 1) await open();
  const took = await open();
  for (const tab of tabs) await tab.close();
  await forceStopAll(loupe);
  return took;
}

const ollama = await startFakeOllama({
  record: false,
  scenarios: [
    {
      name: 'many',
      pace: { prompt_ms: 30 },
      steps: [
        // A reply is five events and each call two more: with six calls, 17 events for one wait on the model.
        { repeat: 90, steps: [{ reply: { tool_calls: [1, 2, 3, 4, 5, 6].map(writeCall) } }] },
        { reply: { content: 'The work is completed.' } },
      ],
    },
    { name: 'waits', steps: [{ fault: { kind: 'hang' } }] },
  ],
});
const dataDir = mkdtempSync(join(tmpdir(), 'loupe-bench-dashboard-'));
const longRun = '20261121-0900-benchrun';
await storeRuns(dataDir, { [longRun]: longLog(events).events });
const loupe = await startLoupe({ ollamaUrl: ollama.url, dataDir, env: { LOUPE_MIN_FREE_MB: '0' } });
const context = await openBrowser(loupe);
try {
  const page = await context.newPage();
  const firstPageKb = await scriptKb(page, '/');
  const opened: { drawnMs: number; usableMs: number }[] = [];
  for (let round = 0; round < OPENINGS; round += 1) opened.push(await opening(page, longRun));
  const heap = await heapMb(page);
  const { latencies, frames, tasks } = await following(loupe, await context.newPage());
  const thirteenth = await thirteenthTab(loupe, context);

  const rows: [name: string, value: number, unit: string, goal?: number][] = [
    ['event to screen, p50', quantile(latencies, 0.5), 'ms'],
    ['event to screen, p95', quantile(latencies, 0.95), 'ms', LATENCY_P95_MS],
    ['frame while following, p50', quantile(frames, 0.5), 'ms'],
    ['frame while following, p95', quantile(frames, 0.95), 'ms'],
    ['frame while following, longest', Math.max(...frames), 'ms'],
    ['task while following, longest', Math.max(0, ...tasks), 'ms', LONGEST_TASK_MS],
    ['tasks over 50 ms while following', tasks.length, ''],
    [
      `${events} events on the screen`,
      quantile(
        opened.map(({ drawnMs }) => drawnMs),
        0.5,
      ),
      'ms',
    ],
    [
      `${events} events usable`,
      quantile(
        opened.map(({ usableMs }) => usableMs),
        0.5,
      ),
      'ms',
      INTERACTIVE_MS,
    ],
    [`heap with ${events} events`, heap, 'MB', HEAP_MB],
    ['13th tab live', thirteenth, 'ms', THIRTEENTH_MS],
    ['JavaScript of the first page', firstPageKb, 'kB', FIRST_PAGE_KB],
  ];
  console.info(`\n${''.padEnd(36)}${'value'.padStart(9)}${'goal'.padStart(9)}${'ratio'.padStart(9)}`);
  for (const [name, value, unit, goal] of rows) {
    const cells = [
      `${value.toFixed(0)} ${unit}`,
      goal === undefined ? '' : `${goal} ${unit}`,
      goal === undefined ? '' : (value / goal).toFixed(2),
    ];
    console.info(`${name.padEnd(36)}${cells.map((cell) => cell.padStart(9)).join('')}`);
  }
  const missed = rows.filter(([, value, , goal]) => goal !== undefined && value > goal);
  console.info(
    missed.length === 0 ? '\nall goals are met' : `\nMISSED: ${missed.map(([name]) => name).join(', ')}`,
  );
  if (missed.length > 0) process.exitCode = 1;
} finally {
  await context.browser()?.close();
  await loupe.dispose();
  await ollama.close();
}
