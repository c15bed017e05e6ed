#!/usr/bin/env node
// `node scripts/screenshots.ts`: takes the screenshots in docs/screenshots. With `--all`, takes every page in both themes at
// three widths instead, in test-results/screenshots, which Git ignores. The models are scenarios of the fake Ollama; server,
// store, tools, files and browser are real.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContextOptions, chromium, type Page } from '@playwright/test';
import { signIn } from '../e2e/fixtures.ts';
import { type LoupeServer, startLoupe } from '../e2e/loupe-server.ts';
import { RunView } from '../e2e/run-view.ts';
import { endOf, finishRun, startRun } from '../e2e/runs.ts';
import type { ShareReply } from '../lib/api/share.ts';
import { leakingModel, passingModel } from '../lib/demo/check-scenarios.ts';
import { type FakeOllama, startFakeOllama } from '../lib/demo/fake-ollama.ts';
import { takeMatrix, visitsOf } from './screenshot-matrix.ts';
import { findChromium } from './system-tools.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'docs', 'screenshots');
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };
/** Everyone who views the README loads the images. */
const MAX_BYTES = 200_000;

const REPORTS = {
  'report-north.md':
    '# North\n\nRevenue 412, costs 287, new customers 31.\nRivers flooded two depots in May.\n',
  'report-south.md': '# South\n\nRevenue 388, costs 301, new customers 44.\nThe new depot opened in June.\n',
  'report-west.md': '# West\n\nRevenue 295, costs 198, new customers 12.\nNo incidents.\n',
};

const SUMMARY = `# Summary of the second quarter

| Region | Revenue | Costs | Margin | New customers |
| ------ | ------- | ----- | ------ | ------------- |
| North  | 412     | 287   | 125    | 31            |
| South  | 388     | 301   | 87     | 44            |
| West   | 295     | 198   | 97     | 12            |

North earns most; South wins most customers, at the highest cost.
`;

const TASK =
  'Read the three reports in this folder, compare their figures and write a summary to summary.md.';

const CHECKS = [
  { type: 'file_exists', path: 'summary.md' },
  { type: 'file_contains', path: 'summary.md', text: 'Margin' },
];

const call = (name: string, args: Record<string, string>) => ({ name, arguments: args });

function addScenarios(ollama: FakeOllama): void {
  const looking = {
    reply: {
      thinking: 'I need to know what is there before I read anything. The folder should hold three reports.',
      content: 'I look at the folder first.',
      tool_calls: [call('list_directory', { path: '.' })],
    },
  };
  const reading = {
    reply: {
      content: 'Three reports, as expected. I read all of them.',
      tool_calls: Object.keys(REPORTS).map((path) => call('read_file', { path })),
    },
  };
  const writing = {
    reply: {
      thinking: 'Margin is revenue minus costs: 125, 87 and 97.',
      content: `Now the summary.\n\n${JSON.stringify(call('write_file', { path: 'summary.md', content: SUMMARY }))}`,
    },
  };
  const proving = { reply: { tool_calls: [call('run_command', { command: 'grep -c "^|" summary.md' })] } };
  const answer = {
    reply: {
      content:
        'The summary is completed. North has the largest margin with 125, South the most new customers with 44, and West the lowest costs with 198. The comparison stands in summary.md.',
    },
  };
  const pace = { load_ms: 2400, prompt_ms: 180, ms_per_token: 14 };
  ollama.add({
    name: 'reports',
    model: 'qwen3:8b',
    match: 'three reports',
    pace,
    steps: [looking, reading, writing, proving, answer],
  });
  ollama.add({
    name: 'reports-held',
    model: 'gpt-oss:20b',
    match: 'three reports',
    pace,
    steps: [looking, reading, writing, proving, answer],
  });
  ollama.add({
    name: 'stuck',
    model: 'llama3.2:3b',
    pace,
    steps: [
      {
        reply: {
          content: 'Let me check the changelog.',
          tool_calls: [call('list_directory', { path: '.' })],
        },
      },
      { reply: { tool_calls: [call('read_file', { path: 'CHANGELOG' })] } },
    ],
  });
  const summing = {
    reply: {
      content: 'Two reports are enough for a first look.',
      tool_calls: Object.keys(REPORTS)
        .slice(0, 2)
        .map((path) => call('read_file', { path })),
    },
  };
  const shorter = {
    reply: { content: 'The summary is completed. North earns more than South, at lower costs.' },
  };
  ollama.add({
    name: 'reports-short',
    model: 'qwen3:4b',
    match: 'three reports',
    pace,
    steps: [looking, summing, writing, shorter],
  });
  // In a model check, it writes its last calls as text.
  for (const scenario of [...passingModel('qwen3:4b').slice(0, 6), ...leakingModel('qwen3:4b').slice(6)]) {
    ollama.add({ ...scenario, pace: { load_ms: 2400, prompt_ms: 60, ms_per_token: 14 } });
  }
  ollama.add({
    name: 'quick',
    model: 'qwen3:4b',
    match: 'haiku',
    steps: [
      { reply: { tool_calls: [call('write_file', { path: 'haiku.md', content: 'Rain on the depot\n' })] } },
      { reply: { content: 'The haiku is completed.' } },
    ],
  });
}

interface Stage {
  loupe: LoupeServer;
  ollama: FakeOllama;
  withPage: (options: BrowserContextOptions, use: (page: Page) => Promise<void>) => Promise<void>;
  workspace: string;
  imports: string;
}

/** The runs of both sets: a short one, one that a guard ended, and one that answered. */
async function makeRuns({ loupe, workspace, imports }: Stage) {
  await finishRun(loupe, { task: 'Write a haiku about rain to haiku.md.', model: 'qwen3:4b' });
  const stuck = await finishRun(loupe, {
    task: 'Find out which release broke the import, and note it in findings.md.',
    model: 'llama3.2:3b',
    workspace: imports,
  });
  const ended = await finishRun(loupe, {
    task: TASK,
    model: 'qwen3:8b',
    workspace,
    think: true,
    checks: CHECKS,
  });
  return { stuck, ended };
}

/** A run of the same task that another is compared with: both start with the same files. */
async function makeShorterRun({ loupe, workspace }: Stage) {
  rmSync(join(workspace, 'summary.md'));
  return finishRun(loupe, { task: TASK, model: 'qwen3:4b', workspace, think: true, checks: CHECKS });
}

async function takeAll(stage: Stage): Promise<void> {
  const { loupe, withPage } = stage;
  const { stuck, ended } = await makeRuns(stage);
  const other = await makeShorterRun(stage);
  const answer = await loupe.request(`/api/runs/${ended.id}/shares`, { json: {} });
  const { share } = (await answer.json()) as ShareReply;
  if (!share.url) throw new Error('The run could not be shared.');
  const visits = visitsOf({ ended: ended.id, stuck: stuck.id, other: other.id, share: share.url });
  const folder = join(root, 'test-results', 'screenshots');
  await takeMatrix({ visits, folder, withPage, take: takeSettled });
  console.info(`The screenshots are in ${folder}.`);
}

/** The pictures of docs/tour.md and README.md. */
async function takeTour(stage: Stage): Promise<void> {
  const { loupe, ollama, withPage, workspace } = stage;
  const { stuck, ended } = await makeRuns(stage);
  // Held in the middle of its answer, however long the screenshots take.
  const release = ollama.hold('reports-held', { turn: 4, afterTokens: 12 });
  const running = await startRun(loupe, {
    task: TASK,
    model: 'gpt-oss:20b',
    workspace,
    think: true,
    live_tokens: true,
    budget: { max_tokens_total: 40_000, max_seconds: 600 },
  });

  await withPage({ colorScheme: 'light' }, async (light) => {
    await light.goto(`/runs/${running.id}`);
    await light.getByText('The summary is completed. North has').waitFor();
    await withPage({ colorScheme: 'dark' }, async (dark) => {
      await withPage({ colorScheme: 'light', viewport: PHONE }, async (phone) => {
        for (const page of [dark, phone]) {
          await page.goto(`/runs/${running.id}`);
          await page.getByText('The summary is completed. North has').waitFor();
        }
        await Promise.all([take(light, 'run-light'), take(dark, 'run-dark'), take(phone, 'run-phone')]);
      });
    });
    await light.goto('/');
    await light.getByRole('link', { name: /haiku/ }).waitFor();
    await take(light, 'home');
  });
  await loupe.request(`/api/runs/${running.id}/stop`, { json: { force: true } });
  await endOf(loupe, running.id);
  release();

  await withPage({ colorScheme: 'light' }, async (page) => {
    await page.goto(`/runs/${ended.id}`);
    await page.getByRole('region', { name: 'How the run ended' }).waitFor();
    await take(page, 'run-ended');
    await page.goto('/runs/new');
    await page.getByLabel('What should the agent do?').fill(TASK);
    await page.getByRole('radiogroup', { name: 'Model' }).getByText('qwen3:8b').click();
    await page.evaluate(() => scrollTo(0, 0));
    await take(page, 'new-run');
  });
  const shorter = await makeShorterRun(stage);
  await withPage({ colorScheme: 'light' }, async (page) => {
    await page.goto(`/compare?${new URLSearchParams({ a: ended.id, b: shorter.id })}`);
    await page.getByRole('table', { name: 'Figures' }).waitFor();
    await take(page, 'compare');
    await page.goto(`/runs/${ended.id}`);
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('button', { name: 'Exit replay' }).waitFor();
    await page.waitForTimeout(2500); // it plays
    await take(page, 'replay');
    await page.goto(`/runs/${ended.id}`);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByText('Preview').waitFor();
    await page.getByRole('button', { name: 'Create link' }).and(page.locator(':enabled')).waitFor();
    await take(page, 'share');
    await page.goto('/models');
    await page.getByRole('button', { name: 'Check: qwen3:4b' }).click();
    await page.getByRole('button', { name: /^Model Check of qwen3:4b/ }).click({ timeout: 120_000 });
    await page.getByText('Recommendations').waitFor();
    await page
      .getByText('qwen3:4b', { exact: true })
      .first()
      .evaluate((line) => line.scrollIntoView());
    await page.mouse.wheel(0, -24);
    await take(page, 'model-check');
  });
  await withPage({ colorScheme: 'dark' }, async (page) => {
    await page.goto(`/runs/${ended.id}`);
    await new RunView(page).chooseNext('Fork before the answer');
    await page.getByRole('button', { name: 'Start the fork' }).waitFor();
    await take(page, 'fork');
    await page.goto(`/runs/${stuck.id}`);
    await page.getByRole('region', { name: 'How the run ended' }).waitFor();
    await take(page, 'run-stopped-by-guard');
    await page.goto('/models');
    await page.getByText('gemma3:4b').waitFor();
    await take(page, 'models');
  });
}

async function main(): Promise<void> {
  const ensured = spawnSync(process.execPath, [join(root, 'scripts', 'ensure.mjs'), '--build'], {
    stdio: 'inherit',
  });
  if (ensured.status !== 0) throw new Error('The dashboard could not be built.');

  // The folder names appear in the screenshots; fails if one exists already.
  const workspace = join(tmpdir(), 'quarterly-reports');
  const imports = join(tmpdir(), 'customer-import');
  mkdirSync(workspace);
  mkdirSync(imports);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(REPORTS)) writeFileSync(join(workspace, name), text);
  const tools = ['completion', 'tools'];
  const ollama = await startFakeOllama({
    version: '0.17.4',
    models: [
      model('qwen3:8b', 'qwen3', '8.2B', 5.2e9, [...tools, 'thinking']),
      model('qwen3:4b', 'qwen3', '4.0B', 2.5e9, [...tools, 'thinking']),
      model('gpt-oss:20b', 'gptoss', '20.9B', 13.8e9, [...tools, 'thinking']),
      model('llama3.2:3b', 'llama', '3.2B', 2.0e9, tools),
      model('gemma3:4b', 'gemma3', '4.3B', 3.3e9, ['completion', 'vision']),
    ],
  });
  addScenarios(ollama);
  const loupe = await startLoupe({ ollamaUrl: ollama.url });
  const browser = await chromium.launch({
    executablePath: findChromium({ fullBrowser: true }),
    args: ['--no-sandbox'],
  });

  /** Runs with a page of a signed-in browser, which is closed afterwards. */
  const withPage = async (options: BrowserContextOptions, use: (page: Page) => Promise<void>) => {
    const context = await browser.newContext({ baseURL: loupe.url, viewport: WIDE, ...options });
    await signIn(context, loupe);
    await use(await context.newPage());
    await context.close();
  };

  try {
    const stage = { loupe, ollama, withPage, workspace, imports };
    await (process.argv.includes('--all') ? takeAll(stage) : takeTour(stage));
  } finally {
    await browser.close();
    await loupe.dispose();
    await ollama.close();
    for (const path of [workspace, imports]) rmSync(path, { recursive: true, force: true });
  }
}

function model(name: string, family: string, parameters: string, bytes: number, capabilities: string[]) {
  return {
    name,
    family,
    parameter_size: parameters,
    quantization: 'Q4_K_M',
    size_bytes: bytes,
    context_length: 40_960,
    capabilities,
  };
}

/** Takes a screenshot of the tour. */
async function take(page: Page, name: string): Promise<void> {
  const path = join(folder, `${name}.png`);
  await takeSettled(page, path);
  const { size } = statSync(path);
  console.info(`${name}.png  ${Math.round(size / 1000)} kB`);
  if (size > MAX_BYTES) throw new Error(`${name}.png has more than ${MAX_BYTES} bytes.`);
}

/** Takes a screenshot once fonts and rows have settled. */
async function takeSettled(page: Page, path: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await page.mouse.move(0, 0);
  await page.waitForTimeout(400); // the list measures its rows and scrolls to its end
  await page.screenshot({ path });
}

await main();
