import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from '@playwright/test';
import { RunView } from '../e2e/run-view.ts';
import type { Evaluated } from './screenshot-evaluations.ts';
import type { Played, Stage } from './screenshot-stage.ts';

const WINDOWS = [
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
];
const SCHEMES = ['light', 'dark'] as const;

/** A page, or a state of one. */
interface Visit {
  /** The beginning of the file's name. */
  name: string;
  open: (page: Page) => Promise<unknown>;
}

/** Takes every visit in both themes at the width of a phone, a laptop and a desktop: `home-360-dark.png`. */
export async function takeMatrix({
  visits,
  folder,
  sizes,
  withPage,
  take,
}: {
  visits: readonly Visit[];
  /** Which of the widths and themes, such as `360-dark`. */
  sizes: RegExp;
  /** Emptied first. */
  folder: string;
  withPage: (options: BrowserContextOptions, use: (page: Page) => Promise<void>) => Promise<void>;
  take: (page: Page, path: string) => Promise<void>;
}): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const viewport of WINDOWS) {
    for (const colorScheme of SCHEMES) {
      if (!sizes.test(`${viewport.width}-${colorScheme}`)) continue;
      await withPage({ viewport, colorScheme }, async (page) => {
        page.setDefaultTimeout(15_000); // on a timeout, a screenshot shows what is missing
        for (const { name, open } of visits) {
          const file = `${name}-${viewport.width}-${colorScheme}.png`;
          try {
            await open(page);
          } catch (error) {
            console.error(`${file}: ${error instanceof Error ? error.message : error}`);
            process.exitCode = 1;
          }
          await take(page, join(folder, file));
        }
      });
    }
  }
}

type Open = Visit['open'];

/** Opens an address and waits for an element that shows that the page has loaded. */
const goTo =
  (path: string, ready: Open): Open =>
  async (page) => {
    await page.goto(path);
    await ready(page);
  };
const then =
  (open: Open, ...steps: Open[]): Open =>
  async (page) => {
    await open(page);
    for (const step of steps) await step(page);
  };
const heading = (name: string | RegExp): Open => {
  return (page) => page.getByRole('heading', { name, exact: true }).first().waitFor();
};
const text =
  (words: string | RegExp): Open =>
  (page) =>
    page.getByText(words).first().waitFor();
const press =
  (name: string): Open =>
  (page) =>
    page.getByRole('button', { name, exact: true }).first().click();
const button =
  (name: string): Open =>
  (page) =>
    page.getByRole('button', { name, exact: true }).and(page.locator(':enabled')).waitFor();
const key =
  (name: string): Open =>
  (page) =>
    page.keyboard.press(name);
const isEnded: Open = (page) => page.getByRole('region', { name: 'How the run ended' }).waitFor();
const isThere: Open = (page) => page.getByRole('feed').getByRole('article').first().waitFor();

/** Every page, in every state that looks different. */
export function visitsOf(stage: Stage, played: Played & Evaluated, running: string): Visit[] {
  return [
    ...pagesOf(played),
    ...runsOf(played, running),
    ...othersOf(played),
    ...evaluationsOf(played),
    ...emptyPagesOf(stage),
  ].map(([name, open]) => ({ name, open }));
}

type Entry = [name: string, open: Open];

function pagesOf({ experiment, suite, share }: Played): Entry[] {
  const newRun = goTo('/runs/new', (page) => page.getByLabel('What should the agent do?').waitFor());
  const home = goTo('/', (page) => page.getByRole('link', { name: /haiku/ }).first().waitFor());
  return [
    ['home', home],
    ['home-selected', then(home, selectRuns)],
    ['folders', then(home, (page) => page.getByRole('button', { name: 'Folder: a fresh folder' }).click())],
    ['palette', then(home, key('Control+k'))],
    ['new-run', newRun],
    ['new-run-advanced', then(newRun, (page) => page.getByText('Advanced').click())],
    ['new-session', then(newRun, (page) => page.getByText('Session', { exact: true }).first().click())],
    ['new-exploration', then(newRun, (page) => page.getByText('Explore', { exact: true }).first().click())],
    ['experiments', goTo('/experiments', text('Does a lower temperature help?'))],
    ['experiment-form', then(goTo('/experiments', heading('Experiments')), press('New experiment'))],
    ['experiment', goTo(`/experiments/${experiment}`, text('Results by cell'))],
    ['suites', goTo('/suites', text('Basics'))],
    ['suite', goTo(`/suites/${suite}`, button('Edit read.one-file'))],
    ['suite-case', then(goTo(`/suites/${suite}`, button('Edit read.one-file')), press('Edit read.one-file'))],
    ['models', goTo('/models', text('gemma3:4b'))],
    ['model-check', then(goTo('/models', text('gemma3:4b')), openCheck)],
    ['tools', goTo('/tools', heading('everything'))],
    ['tool', then(goTo('/tools', heading('everything')), press('get-sum'))],
    ['tools-add', then(goTo('/tools', heading('everything')), press('New server'))],
    ['shares', goTo('/shares', heading('Shared runs'))],
    ['shared-page', goTo(share, (page) => page.getByRole('article').first().waitFor())],
    [
      'health',
      goTo('/health', (page) => page.getByText('Ollama: good').first().waitFor({ state: 'attached' })),
    ],
    ['gallery', goTo('/gallery', heading('States of a run'))],
    ['not-found', goTo('/nowhere', heading('Page not found'))],
  ];
}

function runsOf(played: Played, running: string): Entry[] {
  const run = (id: string, ready: Open = isEnded) => goTo(`/runs/${id}`, ready);
  const ended = run(played.ended);
  return [
    ['run-running', run(running, text('The summary is completed.'))],
    ['run-ended', ended],
    ['run-top', then(ended, key('g'))],
    ['run-more', then(ended, (page) => new RunView(page).openMenu('More'))],
    ['run-export', then(ended, (page) => new RunView(page).openMenu('Export'))],
    ['run-changes', then(ended, (page) => endButton(page, /summary\.md/))],
    ['run-stopped', run(played.stuck)],
    ['run-failed', run(played.failed)],
    ['run-data', run(played.data)],
    ['run-asking', run(played.asking, button('Approve once'))],
    ['run-session', run(played.session, text('South. Its costs are the highest'))],
    ['run-exploration', run('exploration', isThere)],
    ['run-exploration-plots', goTo('/runs/exploration?view=plots', button('Back to the timeline'))],
    ['run-10000', run('ten-thousand')],
    ['run-10000-plots', goTo('/runs/ten-thousand?view=plots', button('Back to the timeline'))],
    ['run-unknown', goTo('/runs/nobody', text('There is no run "nobody"'))],
    ['plots', goTo(`/runs/${played.ended}?view=plots`, button('Back to the timeline'))],
    ['keys', then(ended, key('?'))],
    ['replay', then(ended, press('Replay'), press('Pause'))],
    ['share', then(ended, press('Share'), button('Create link'))],
    ['fork', then(ended, openFork)],
    ['rerun', then(goTo(`/runs/${played.ended}`, isEnded), openRerun)],
    ['saw', then(ended, openSaw)],
  ];
}

function othersOf({ ended, shorter, unwritten }: Played): Entry[] {
  const compared = (query: Record<string, string>) =>
    goTo(`/compare?${new URLSearchParams(query)}`, (page) =>
      page.getByRole('table', { name: 'Figures' }).waitFor(),
    );
  return [
    ['compare', compared({ a: ended, b: shorter })],
    ['compare-3', compared({ a: ended, b: shorter, c: unwritten })],
    ['compare-empty', goTo('/compare', text('Choose 2 to 6 runs'))],
  ];
}

/** The pages of experiments over suites, benchmarks, ratings and checks of tools, and runs with images and requests. */
function evaluationsOf(evaluated: Evaluated): Entry[] {
  const { benchmark, rating, suiteExperiment, playedSuite, explorations } = evaluated;
  const experiments = goTo('/experiments', text('Studies'));
  const overSuite = goTo(`/experiments/${suiteExperiment}`, text('Results by cell'));
  const ratings = goTo('/ratings', text('Diaries'));
  const rated = goTo(`/ratings/${rating}`, button('Rate texts'));
  const tools = goTo('/tools', heading('everything'));
  const [a = '', b = ''] = explorations;
  return [
    ['studies', experiments],
    [
      'study',
      then(experiments, (page) =>
        page
          .getByRole('button', { name: /^Set up/ })
          .first()
          .click(),
      ),
    ],
    ['plan-file', then(experiments, press('Open a plan file'))],
    ['suite-experiment', overSuite],
    [
      'suite-experiment-figures',
      then(overSuite, (page) => page.getByText('All figures and provenance').click()),
    ],
    [
      'suite-experiment-export',
      then(overSuite, (page) => page.getByRole('button', { name: 'Export' }).first().click()),
    ],
    ['suite-history', goTo(`/suites/${playedSuite}`, button('Edit capital'))],
    ['benchmarks', goTo('/benchmarks', heading('Function calling'))],
    ['benchmark', goTo(`/benchmarks/${benchmark}`, text('Finished'))],
    ['ratings', ratings],
    ['rating-new', then(ratings, press('New rating'))],
    ['rating-form', then(rated, press('Rate texts'))],
    ['rating-results', then(rated, press('Results'))],
    ['tool-checks', goTo('/tools/checks?server=custom', heading('Tools on local models'))],
    ['custom-tool', then(tools, press('New tool'))],
    ['server-offers', then(tools, (page) => page.getByText('Prompts and resources').first().click())],
    ['run-request', goTo(`/runs/${evaluated.requesting}`, button('Send'))],
    ['run-images', goTo(`/runs/${evaluated.images}`, isEnded)],
    ['run-images-top', then(goTo(`/runs/${evaluated.images}`, isEnded), key('g'))],
    ['session-images', goTo(`/runs/${evaluated.imageSession}`, text('A gradient'))],
    ['exploration-cycles', goTo(`/runs/${a}`, isThere)],
    ['compare-explorations', goTo(`/compare?${new URLSearchParams({ a, b })}`, text('Figures'))],
  ];
}

/** The empty pages, and pages while Ollama is down. */
function emptyPagesOf({ fresh, offline }: Stage): Entry[] {
  const pages = ['', 'experiments', 'suites', 'models', 'tools', 'shares', 'runs/new', 'health'];
  const empty = pages.map((path): Entry => {
    const name = path.replace('/', '-') || 'home';
    return [`empty-${name}`, goTo(`${fresh.url}/${path}`, (page) => page.waitForTimeout(800))];
  });
  const down = ['', 'models', 'runs/new', 'health'].map((path): Entry => {
    const name = path.replace('/', '-') || 'home';
    return [`offline-${name}`, goTo(`${offline.url}/${path}`, (page) => page.waitForTimeout(1500))];
  });
  return [...empty, ...down];
}

async function selectRuns(page: Page): Promise<void> {
  const boxes = page.getByRole('checkbox', { name: /^Select: / });
  for (const index of [0, 1, 2]) await boxes.nth(index).check();
}

const endButton = (page: Page, name: RegExp) =>
  page.getByRole('region', { name: 'How the run ended' }).getByRole('button', { name }).first().click();

/** Opens the results of the newest check. */
export async function openCheck(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Model Check of qwen3:4b/ })
    .first()
    .click({ timeout: 120_000 });
  await page.getByText('Recommendations').waitFor();
}

export async function openFork(page: Page): Promise<void> {
  await new RunView(page).chooseNext('Fork before the answer');
  await page.getByRole('button', { name: 'Start the fork' }).waitFor();
}

/** Unfolds the first model call of the run and opens its editor. */
export async function openRerun(page: Page): Promise<void> {
  const row = await openCall(page);
  await row.getByRole('button', { name: 'Re-run this call' }).click();
  await page.getByRole('dialog').getByRole('region', { name: 'Messages' }).waitFor();
}

async function openSaw(page: Page): Promise<void> {
  const row = await openCall(page);
  await row.getByRole('button', { name: 'What the model saw' }).click();
  await row.getByText('Shares are estimates').waitFor();
}

async function openCall(page: Page) {
  const view = new RunView(page);
  const row = await view.reveal(view.row('Model call 1, ended'));
  await row
    .getByRole('button', { name: /^Model call/ })
    .first()
    .click();
  return row;
}
