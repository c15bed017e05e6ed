#!/usr/bin/env node
// `npm run screenshots`: takes the screenshots in docs/screenshots. With `-- --all`, takes every page in both themes at
// three widths instead, in a folder for temporary files; `--only=REGEXP` chooses by name,
// `--sizes=REGEXP` by width and theme (`360-dark`). The models are scenarios of the fake Ollama; server,
// store, tools, files and browser are real.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContextOptions, chromium, type Page } from '@playwright/test';
import { signIn } from '../e2e/fixtures.ts';
import { addMcpServer } from '../e2e/furnish.ts';
import { freePort } from '../e2e/loupe-server.ts';
import { npmServer } from '../lib/mcp/under-test.ts';
import { playEvaluations } from './screenshot-evaluations.ts';
import { openCheck, openFork, openRerun, takeMatrix, visitsOf } from './screenshot-matrix.ts';
import { holdRun, openStage, type Played, play, type Stage, TASK } from './screenshot-stage.ts';
import { findChromium } from './system-tools.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'docs', 'screenshots');
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };
/** Size limit, because everyone who views the README loads the images. */
const MAX_BYTES = 200_000;

type WithPage = (options: BrowserContextOptions, use: (page: Page) => Promise<void>) => Promise<void>;

async function takeAll(stage: Stage, withPage: WithPage): Promise<void> {
  const played = await play(stage);
  await addMcpServer(stage.loupe, 'everything', npmServer('everything', ['stdio']));
  const evaluated = await playEvaluations(stage);
  await withPage({}, checkModel);
  const running = await holdRun(stage);
  const folder = join(tmpdir(), 'loupe-screenshots');
  const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice(7);
  const sizes = process.argv.find((argument) => argument.startsWith('--sizes='))?.slice(8);
  const visits = visitsOf(stage, { ...played, ...evaluated }, running.id);
  await takeMatrix({
    visits: only ? visits.filter(({ name }) => new RegExp(only).test(name)) : visits,
    ...{ folder, sizes: new RegExp(sizes ?? '') },
    withPage,
    take: (page, path) => takeSettled(page, path, { fullPage: true }),
  });
  await running.end();
  console.info(`The screenshots are in ${folder}.`);
}

/** The pictures of docs/tour.md and README.md. */
async function takeTour(stage: Stage, withPage: WithPage): Promise<void> {
  const played = await play(stage);
  await takeRunning(stage, withPage);
  await withPage({ colorScheme: 'light' }, (page) => takeRuns(page, played));
  await withPage({ colorScheme: 'light' }, (page) => takePages(page, played));
  await withPage({ colorScheme: 'dark' }, (page) => takeDark(page, played));
  await takeTools(stage, withPage);
}

/** A run that is paused in the middle of its answer, however long the screenshots take, and the list of runs. */
async function takeRunning(stage: Stage, withPage: WithPage): Promise<void> {
  const running = await holdRun(stage);
  const open = async (page: Page) => {
    await page.goto(`/runs/${running.id}`);
    await page.getByText('The summary is completed. North has').waitFor();
  };
  await withPage({ colorScheme: 'light' }, async (light) => {
    await open(light);
    await withPage({ colorScheme: 'dark' }, async (dark) => {
      await withPage({ colorScheme: 'light', viewport: PHONE }, async (phone) => {
        for (const page of [dark, phone]) await open(page);
        await Promise.all([take(light, 'run-light'), take(dark, 'run-dark'), take(phone, 'run-phone')]);
      });
    });
    await light.goto('/');
    await light.getByRole('link', { name: /haiku/ }).waitFor();
    await take(light, 'home');
  });
  await running.end();
}

/** Actions on runs. */
async function takeRuns(page: Page, { ended, shorter, unwritten, data, asking, session }: Played) {
  const end = page.getByRole('region', { name: 'How the run ended' });
  await page.goto(`/runs/${ended}`);
  await end.waitFor();
  await take(page, 'run-ended');
  await end
    .getByRole('button', { name: /summary\.md/ })
    .first()
    .click();
  await page.getByRole('dialog').getByText('added').first().waitFor();
  await take(page, 'changes');
  await page.goto(`/runs/${ended}?view=plots`);
  await page.getByRole('figure', { name: 'Context by iteration' }).waitFor();
  await take(page, 'plots');
  await page.goto(`/runs/${asking}`);
  await page.getByRole('button', { name: 'Approve once', exact: true }).waitFor();
  await take(page, 'approval');
  await page.goto(`/runs/${session}`);
  await page.getByText('South. Its costs are the highest').first().waitFor();
  await take(page, 'session');
  await page.goto(`/runs/${data}`);
  await end.waitFor();
  await take(page, 'answer-as-data');
  await page.goto(`/compare?${new URLSearchParams({ a: ended, b: shorter, c: unwritten })}`);
  await page.getByRole('table', { name: 'Figures' }).waitFor();
  await take(page, 'compare');
  await page.goto(`/runs/${ended}`);
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByRole('button', { name: 'Exit replay' }).waitFor();
  await page.waitForTimeout(2500); // it plays
  await take(page, 'replay');
  await page.goto(`/runs/${ended}`);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByText('Preview').waitFor();
  await page.getByRole('button', { name: 'Create link' }).and(page.locator(':enabled')).waitFor();
  await take(page, 'share');
}

/** All pages except those of runs. */
async function takePages(page: Page, { experiment, suite }: Played): Promise<void> {
  await page.goto('/runs/new');
  await page.getByLabel('What should the agent do?').fill(TASK);
  await page.getByRole('radiogroup', { name: 'Model' }).getByText('gpt-oss:20b').click();
  await page.evaluate(() => scrollTo(0, 0));
  await take(page, 'new-run');
  await page.goto(`/experiments/${experiment}`);
  await page.locator('figure[data-plot="Pass rate"]').waitFor();
  await take(page, 'experiment');
  await page.goto(`/suites/${suite}`);
  await page.getByRole('button', { name: 'Edit read.one-file' }).waitFor();
  await take(page, 'suite');
  await checkModel(page);
  await page
    .getByText('qwen3:4b', { exact: true })
    .first()
    .evaluate((line) => line.scrollIntoView());
  await page.mouse.wheel(0, -24);
  await take(page, 'model-check');
}

async function takeDark(page: Page, { ended, stuck }: Played): Promise<void> {
  const end = page.getByRole('region', { name: 'How the run ended' });
  await page.goto(`/runs/${ended}`);
  await openFork(page);
  await take(page, 'fork');
  await page.goto(`/runs/${ended}`);
  await end.waitFor();
  await openRerun(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await dialog.getByRole('button', { name: 'Send again' }).and(page.locator(':enabled')).waitFor();
  await take(page, 'rerun');
  await page.goto(`/runs/${stuck}`);
  await end.waitFor();
  await take(page, 'run-stopped-by-guard');
  await page.goto('/models');
  await page.getByText('gemma3:4b').waitFor();
  await take(page, 'models');
}

/** An MCP server at an address: the command line of a program would show the folders of this machine. */
async function takeTools({ loupe }: Stage, withPage: WithPage): Promise<void> {
  const port = await freePort();
  const program = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/dist/index.js',
  );
  const server = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { ...process.env, PORT: `${port}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    if (server.stderr) await once(server.stderr, 'data'); // it reports that it listens
    await addMcpServer(loupe, 'everything', { type: 'http', url: `http://127.0.0.1:${port}/mcp` });
    await withPage({ colorScheme: 'light' }, async (page) => {
      await page.goto('/tools');
      await page.getByRole('button', { name: 'get-sum', exact: true }).click();
      const form = page.getByRole('form', { name: 'Try get-sum' });
      await form.getByLabel('a', { exact: true }).fill('40');
      await form.getByLabel('b', { exact: true }).fill('2');
      await form.getByRole('button', { name: 'Call' }).click();
      await form
        .getByText('The sum of 40 and 2 is 42.')
        .evaluate((line) => line.scrollIntoView({ block: 'end' }));
      await page.mouse.wheel(0, 40);
      await take(page, 'tools');
    });
  } finally {
    server.kill();
  }
}

/** Checks a model and shows the results. */
async function checkModel(page: Page): Promise<void> {
  await page.goto('/models');
  await page.getByRole('button', { name: 'Check: qwen3:4b' }).click();
  await openCheck(page);
}

async function main(): Promise<void> {
  const ensured = spawnSync(process.execPath, [join(root, 'scripts', 'ensure.mjs'), '--build'], {
    stdio: 'inherit',
  });
  if (ensured.status !== 0) throw new Error('The dashboard could not be built.');

  mkdirSync(folder, { recursive: true });
  const stage = await openStage();
  const browser = await chromium.launch({
    executablePath: findChromium({ fullBrowser: true }),
    args: ['--no-sandbox'],
  });

  /** Runs with a page that is signed in to every server, and closes it afterward. */
  const withPage: WithPage = async (options, use) => {
    const context = await browser.newContext({ baseURL: stage.loupe.url, viewport: WIDE, ...options });
    for (const server of [stage.fresh, stage.offline, stage.loupe]) await signIn(context, server);
    await use(await context.newPage());
    await context.close();
  };

  try {
    await (process.argv.includes('--all') ? takeAll : takeTour)(stage, withPage);
  } finally {
    await browser.close();
    await stage.close();
  }
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
async function takeSettled(page: Page, path: string, { fullPage = false } = {}): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await page.mouse.move(0, 0);
  await page.waitForTimeout(400); // the list measures its rows and scrolls to its end
  await page.screenshot({ path, fullPage });
}

await main();
