import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { startLoupe } from '../e2e/loupe-server.ts';
import { type ExperimentItem, experimentRequest } from '../lib/api/experiment.ts';
import { suiteCases } from '../lib/api/suite.ts';
import { startFakeOllama } from '../lib/demo/fake-ollama.ts';
import { verdictsOf } from '../lib/experiments/cells.ts';
import { planRuns } from '../lib/experiments/plan-runs.ts';
import { SqliteRunStore } from '../lib/store/sqlite/sqlite-store.ts';
import { suiteHash } from '../lib/suites/suite-hash.ts';
import { heapMb, openBrowser } from './browser.ts';
import { quantile } from './quantile.ts';

// How soon the page of an experiment with 10,000 runs (250 cases, 10 cells, 4 seeds) can be used, in a headless browser on
// the production build: its plots, grid, tables and first runs are drawn. The first opening reads it from the disk. Needs a
// build of the dashboard.
//   node bench/experiments.ts

const USABLE_MS = 1000;
const HEAP_MB = 300;
const OPENINGS = 5;
const ID = '20261124-0900-benchexp';

const cases = suiteCases.parse(
  Array.from({ length: 250 }, (_, index) => ({
    ...{ id: `case.${index}`, input: 'Do it.', target: 'done', tags: [`tag ${index % 8}`] },
  })),
);
const hash = suiteHash(cases);
const plan = experimentRequest.parse({
  ...{ name: '10,000 runs', models: ['alpha', 'beta'], suite: { id: 'suite', hash } },
  ...{ factors: { temperature: [0, 0.2, 0.4, 0.6, 0.8] }, seeds: [1, 2, 3, 4] },
});

/** Results that differ from run to run, always in the same way. */
const items: ExperimentItem[] = planRuns(plan, cases).map((item) => {
  const chance = (item.position * 7919) % 100;
  const passed = chance < 60;
  return {
    ...{ ...item, status: 'done', run_id: `20261124-0900-${String(item.position).padStart(8, '0')}` },
    result: {
      ...{ status: 'completed', termination_reason: 'final_answer', message: 'The model answered.' },
      ...{ seconds: 2 + chance / 10, iterations: 1 + (chance % 7), cycles: 0, model_calls: 1 + (chance % 7) },
      ...{ num_ctx: 32_768, num_predict: 2048, tool_calls: chance % 5, failed_tool_calls: 0, attempts: 1 },
      ...{ tokens_in: 900 + chance, tokens_out: 90 + chance, memories: 0, messages: 0, files_written: 1 },
      ...{ calls_native: chance % 5, calls_json: 0, calls_xml: 0, repairs: 0, refused_calls: 0, nudges: 0 },
      ...{ retries: 0, cut_offs: 0, tokens_per_second: 40 + (chance % 9), ollama_version: '0.17.4' },
      ...{ digest: 'a'.repeat(64), quantization: 'Q4_K_M', parameter_size: '4B', think: false },
      outcome: passed
        ? { kind: 'answered', checks: { failed: 0, total: 1 } }
        : { kind: 'answered_checks_failed', checks: { failed: 1, total: 1 } },
      output: `The work is ${passed ? 'done' : 'open'}. ${'It has an answer of some length. '.repeat(20)}`,
    },
  };
});

const dataDir = mkdtempSync(join(tmpdir(), 'loupe-bench-experiments-'));
const store = SqliteRunStore.open(dataDir, { ballastMegabytes: 1 });
await store.createExperiment({
  summary: {
    ...{ id: ID, name: plan.name, mode: 'task', status: 'finished', created_at: 1, updated_at: 2, plan },
    ...{ total: items.length, done: items.length, failed: 0, running: 0, verdicts: verdictsOf(items) },
    suite: { name: 'Bench', hash, cases: cases.length, modes: ['task'] },
  },
  items,
  cases,
});
await store.close();

/** From the request for the page until everything on it is drawn. */
async function opening(page: Page): Promise<number> {
  await page.goto('about:blank');
  const started = performance.now();
  await page.goto(`/experiments/${ID}`, { waitUntil: 'commit' });
  await page.waitForFunction(
    () =>
      ['Pass rate', 'Cases by cell', 'Distribution'].every((title) =>
        document.querySelector(`figure[data-plot="${title}"] svg`),
      ) && document.querySelectorAll('[aria-label="Results"] tbody tr').length >= 100,
    undefined,
    { polling: 'raf' },
  );
  return performance.now() - started;
}

const ollama = await startFakeOllama({ record: false });
const loupe = await startLoupe({ ollamaUrl: ollama.url, dataDir, env: { LOUPE_MIN_FREE_MB: '0' } });
const context = await openBrowser(loupe);
try {
  const page = await context.newPage();
  const first = await opening(page);
  const later: number[] = [];
  for (let round = 0; round < OPENINGS; round += 1) later.push(await opening(page));
  const usable = quantile(later, 0.5);
  const heap = await heapMb(page);
  console.info(`first opening ${first.toFixed(0)} ms`);
  console.info(`later openings, median ${usable.toFixed(0)} ms (goal ${USABLE_MS} ms)`);
  console.info(`heap of the page ${heap.toFixed(0)} MB (goal ${HEAP_MB} MB)`);
  if (usable > USABLE_MS || heap > HEAP_MB) process.exitCode = 1;
} finally {
  await context.browser()?.close();
  await loupe.dispose();
  await ollama.close();
}
