import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from '@playwright/test';

const WINDOWS = [
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
];
const SCHEMES = ['light', 'dark'] as const;

/** A page, or a state of one. */
export interface Visit {
  /** The beginning of the file's name. */
  name: string;
  open: (page: Page) => Promise<void>;
}

/** Takes every visit in both themes at the width of a phone, a laptop and a desktop: `home-360-dark.png`. */
export async function takeMatrix({
  visits,
  folder,
  withPage,
  take,
}: {
  visits: readonly Visit[];
  /** Emptied first. */
  folder: string;
  withPage: (options: BrowserContextOptions, use: (page: Page) => Promise<void>) => Promise<void>;
  take: (page: Page, path: string) => Promise<void>;
}): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const viewport of WINDOWS) {
    for (const colorScheme of SCHEMES) {
      await withPage({ viewport, colorScheme }, async (page) => {
        for (const { name, open } of visits) {
          await open(page);
          await take(page, join(folder, `${name}-${viewport.width}-${colorScheme}.png`));
        }
      });
    }
  }
}

/** Every page that has nothing running. */
export function visitsOf(runs: { ended: string; stuck: string; other: string; share: string }): Visit[] {
  const goTo = (path: string, ready: (page: Page) => Promise<unknown>) => async (page: Page) => {
    await page.goto(path);
    await ready(page);
  };
  const heading = (name: string) => (page: Page) =>
    page.getByRole('heading', { name, exact: true }).first().waitFor();
  const end = (page: Page) => page.getByRole('region', { name: 'How the run ended' }).waitFor();
  const openRun = goTo(`/runs/${runs.ended}`, end);
  return [
    { name: 'home', open: goTo('/', (page) => page.getByRole('link', { name: /haiku/ }).first().waitFor()) },
    {
      name: 'new-run',
      open: goTo('/runs/new', (page) => page.getByLabel('What should the agent do?').waitFor()),
    },
    { name: 'run-ended', open: openRun },
    {
      name: 'run-top',
      open: async (page) => {
        await openRun(page);
        await page.keyboard.press('g');
      },
    },
    { name: 'run-stopped', open: goTo(`/runs/${runs.stuck}`, end) },
    {
      name: 'plots',
      open: goTo(`/runs/${runs.ended}?view=plots`, (page) =>
        page.getByRole('button', { name: 'Back to the timeline' }).waitFor(),
      ),
    },
    {
      name: 'replay',
      open: async (page) => {
        await openRun(page);
        await page.getByRole('button', { name: 'Replay', exact: true }).click();
        await page.getByRole('button', { name: 'Pause' }).click();
      },
    },
    {
      name: 'share',
      open: async (page) => {
        await openRun(page);
        await page.getByRole('button', { name: 'Share', exact: true }).click();
        await page.getByRole('button', { name: 'Create link' }).and(page.locator(':enabled')).waitFor();
      },
    },
    { name: 'shared-page', open: goTo(runs.share, (page) => page.getByRole('article').first().waitFor()) },
    {
      name: 'compare',
      open: goTo(`/compare?${new URLSearchParams({ a: runs.ended, b: runs.other })}`, (page) =>
        page.getByRole('table', { name: 'Figures' }).waitFor(),
      ),
    },
    { name: 'experiments', open: goTo('/experiments', heading('Experiments')) },
    { name: 'models', open: goTo('/models', (page) => page.getByText('gemma3:4b').first().waitFor()) },
    { name: 'shares', open: goTo('/shares', heading('Shared runs')) },
    {
      name: 'health',
      open: goTo('/health', (page) => page.getByText('Ollama: good').waitFor({ state: 'attached' })),
    },
    { name: 'not-found', open: goTo('/nowhere', heading('Page not found')) },
  ];
}
