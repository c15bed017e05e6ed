import type { Locator, Page } from '@playwright/test';
import type { PresetReply } from '../../lib/api/preset.ts';
import type { RunEvent } from '../../lib/events/registry.ts';
import { longLog } from '../../lib/testing/sample-logs.ts';
import { exploreLog } from '../../lib/testing/sample-modes.ts';
import { delayReply, holdReply } from '../delay-reply.ts';
import { expect, test } from '../fixtures.ts';
import { finishExperiment, send } from '../furnish.ts';
import type { LoupeServer } from '../loupe-server.ts';
import { twoFrames } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { finishRun, startRun } from '../runs.ts';

const heightOf = async (page: Page, selector: string) => (await page.locator(selector).boundingBox())?.height;

/** Smaller ones are of words that change within their line. */
const LEAST_SHIFT = 0.002;

/** Collects layout shifts of the pages that are opened from now on. */
async function watchShifts(page: Page): Promise<() => Promise<{ value: number; moved: string[] }[]>> {
  await page.addInitScript((leastShift) => {
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as LayoutShift[]) {
        const inMain = entry.sources.flatMap(({ node, previousRect, currentRect }) => {
          const element = node instanceof Element ? node : node?.parentElement;
          return element?.closest('main')
            ? [`from ${previousRect.top} to ${currentRect.top}: ${element.outerHTML.slice(0, 160)}`]
            : [];
        });
        if (inMain.length > 0 && entry.value >= leastShift)
          window.shifts.push({ value: entry.value, moved: inMain });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  }, LEAST_SHIFT);
  return async () => {
    await twoFrames(page);
    return page.evaluate(() => window.shifts);
  };
}

/** As browsers report it; not yet in TypeScript's library. */
interface LayoutShift extends PerformanceEntry {
  value: number;
  sources: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
}

declare global {
  interface Window {
    shifts: { value: number; moved: string[] }[];
  }
}

async function importLog(loupe: LoupeServer, events: readonly RunEvent[]): Promise<void> {
  const answer = await fetch(`${loupe.url}/api/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${loupe.token}`, 'content-type': 'application/x-ndjson' },
    body: events.map((event) => JSON.stringify(event)).join('\n'),
  });
  expect(answer.ok).toBe(true);
}

test('the first page is drawn for a newcomer or for a person with runs, and nothing is pushed down when they have been read', async ({
  page,
  loupe,
  ollama,
}) => {
  const shifts = await watchShifts(page);
  const title = page.getByRole('heading', { name: 'See what your local agent does' });
  const started = page.getByRole('region', { name: 'Getting started' });
  const run = page.getByRole('main').getByRole('link', { name: 'Say it' });
  const replies = ['/api/runs', '/api/health', '/api/models', '/api/presets'];
  const openWithLast = async (last: string, ready: Locator) => {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      // Words move by themselves when their font arrives.
      await page.route(/\.woff2$/, (route) => route.abort());
      const release = await holdReply(page, last);
      const others = replies
        .filter((path) => path !== last)
        .map((path) => page.waitForResponse((response) => new URL(response.url()).pathname === path));
      await page.goto('/');
      for (const response of await Promise.all(others)) await response.finished();
      await twoFrames(page);
      release();
      await expect(ready).toBeVisible();
      await expect(page.getByRole('link', { name: 'Archived runs' })).toBeVisible();
      expect({ last, width, shifts: await shifts() }).toEqual({ last, width, shifts: [] });
      await page.unrouteAll();
    }
  };

  for (const last of replies) await openWithLast(last, started);
  const release = await holdReply(page, '/api/runs');
  await page.goto('/');
  await expect(title).toBeVisible();
  release();

  ollama.add({ name: 'says-it', steps: [{ reply: { content: 'Yes.' } }] });
  await finishRun(loupe, { task: 'Say it', model: 'says-it' });
  const saved = { name: 'Above the list', run: { task: 'Say it', model: 'says-it' } };
  const { preset } = await send<PresetReply>(loupe, '/api/presets', saved);
  for (const last of replies) await openWithLast(last, run);
  await loupe.request(`/api/presets/${preset.id}`, { method: 'DELETE', json: {} });
  await holdReply(page, '/api/runs');
  await page.goto('/');
  await expect(page.getByText('Loading runs…')).toBeVisible();
  await expect(title).toBeHidden();
});

test('the note on a sign-in link that was used before pushes the form of the first page nowhere', async ({
  page,
}) => {
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 740 });
    const release = await holdReply(page, '/api/runs');
    await page.goto('/?link=used');
    const form = page.getByRole('form', { name: 'Quick run' });
    const before = await form.boundingBox();
    release();
    await expect(page.getByText('This sign-in link was already used.')).toBeVisible();
    expect((await form.boundingBox())?.y, `at ${width}`).toBe(before?.y);
    await page.unrouteAll();
  }
});

test('the note that Ollama does not answer pushes nothing on the first page, however late it comes', async ({
  ownServer,
}) => {
  const { page, loupe } = await ownServer({ ollamaUrl: 'http://127.0.0.1:9' });
  await importLog(loupe, longLog(2).events);
  const shifts = await watchShifts(page);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 740 });
    await page.route(/\.woff2$/, (route) => route.abort());
    const release = await holdReply(page, '/api/health');
    const listed = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/models');
    await page.goto('/');
    await (await listed).finished();
    await expect(page.getByRole('region', { name: 'Runs', exact: true })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Archived runs' })).toBeVisible();
    await shifts();
    await page.evaluate(() => window.shifts.splice(0));
    release();
    const note = page.getByRole('main').getByRole('status').filter({ hasText: 'What to do' });
    await expect(note).toBeVisible();
    expect({ width, shifts: await shifts() }).toEqual({ width, shifts: [] });
    await expect(note.getByRole('link', { name: 'What to do' })).toBeInViewport({ ratio: 1 });
    const [above, own, below] = [
      await page.getByRole('form', { name: 'Quick run' }).boundingBox(),
      await note.boundingBox(),
      await page.getByRole('searchbox').boundingBox(),
    ];
    expect(own?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
    expect((own?.y ?? 0) + (own?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    await page.unrouteAll();
  }
});

test('the note on the demo model moves nothing when the models arrive', async ({ ownServer }) => {
  const { page } = await ownServer({ ollamaUrl: 'http://127.0.0.1:9' });
  const form = page.getByRole('form', { name: 'Quick run' });
  for (const width of [1280, 768, 360, 320]) {
    await page.setViewportSize({ width, height: 740 });
    const release = await holdReply(page, '/api/models');
    await page.goto('/');
    const before = await form.boundingBox();
    release();
    await expect(form.getByText('A scripted demo: it ignores the task.')).toBeVisible();
    expect(await form.boundingBox(), `at ${width}`).toEqual(before);
    await page.unrouteAll();
  }
});

test('the header of a run is as high after its end as before, at every width', async ({
  page,
  loupe,
  ollama,
}) => {
  const task = 'Read the reports of all regions, and write a summary of them to summary.md.';
  for (const width of [1280, 1024, 900, 768, 360]) {
    const model = `ends-at-${width}`;
    ollama.add({ name: model, steps: [{ reply: { content: 'The task is completed.' } }] });
    const release = ollama.hold(model, { turn: 0 });
    const { id } = await startRun(loupe, { task, model });
    await page.setViewportSize({ width, height: 740 });
    const view = new RunView(page);
    await view.open(id);
    await expect(view.connection('Live')).toBeVisible();
    await expect(view.row('Model call 1, open')).toBeVisible();
    const before = await heightOf(page, 'main > div:has(h1)');
    release();
    await view.expectEnd('The model answered', 'final_answer');
    expect(await heightOf(page, 'main > div:has(h1)'), `at ${width}`).toBe(before);
  }
});

test('the plots of a run take the height that is reserved for them', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'has-plots', steps: [{ reply: { content: 'The task is completed.' } }] });
  const { id } = await startRun(loupe, { task: 'Answer', model: 'has-plots' });
  await page.addInitScript(() => localStorage.setItem('loupe.plots', 'open'));
  for (const width of [1280, 768, 360]) {
    await page.setViewportSize({ width, height: 860 });
    await new RunView(page).open(id);
    await expect(page.getByRole('button', { name: /^Speed/ })).toBeVisible();
    const strip = 'section[aria-label="Plots"] > div > div';
    const reserved = await page
      .locator(strip)
      .evaluate((element) => Number.parseFloat(getComputedStyle(element).minHeight));
    expect(await heightOf(page, strip), `at ${width}`).toBe(reserved);
  }
});

test('a run is drawn with its notes, its origin and its cycles, which push nothing down later', async ({
  page,
  loupe,
}) => {
  await importLog(loupe, longLog(400, { runId: 'imported-with-notes' }).events);
  const noted = { tags: ['baseline', 'to check'], note: 'The answer to show in the talk.' };
  await loupe.request('/api/runs/imported-with-notes', { method: 'PATCH', json: noted });
  await importLog(loupe, exploreLog(8, { runId: 'imported-cycles' }).events);
  const shifts = await watchShifts(page);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 740 });
    for (const id of ['imported-with-notes', 'imported-cycles']) {
      await delayReply(page, `/api/runs/${id}`);
      const view = new RunView(page);
      await view.open(id);
      await expect(page.getByText(/^Imported/)).toBeVisible();
      await expect(view.connection('Complete')).toBeVisible();
      await expect(view.end.getByRole('heading').first()).toBeVisible();
      expect({ id, width, shifts: await shifts() }).toEqual({ id, width, shifts: [] });
    }
  }
});

test('what follows a list appears with it, and is not pushed down by it', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'pushes', steps: [{ reply: { content: 'Yes.' } }] });
  const experiment = await finishExperiment(loupe, {
    name: 'Pushes',
    mode: 'prompt',
    task: 'Say it.',
    models: ['pushes'],
    factors: { temperature: [0, 1] },
    repeats: 2,
  });
  for (const [path, reply, below] of [
    ['/experiments', '/api/experiments', 'Studies'],
    ['/suites', '/api/suites', 'Function calling'],
    ['/tools', '/api/mcp/servers', 'Custom tools'],
    ['/runs/new', '/api/models', 'Workspace'],
    ['/health', '/api/health', 'Signed-in browsers'],
    ['/health', '/api/models', 'Signed-in browsers'],
    [`/experiments/${experiment}`, `/api/experiments/${experiment}/cells`, 'Runs'],
    [`/experiments/${experiment}`, `/api/experiments/${experiment}/distribution`, 'Runs'],
    [`/experiments/${experiment}`, `/api/experiments/${experiment}/pairs`, 'Runs'],
    [`/experiments/${experiment}`, `/api/experiments/${experiment}/agreement`, 'Runs'],
  ] as const) {
    const release = await holdReply(page, reply);
    await page.goto(path);
    const heading = page.getByRole('heading', { name: below, exact: true, includeHidden: true });
    await expect(heading, path).toBeAttached();
    await expect(heading, path).toBeHidden();
    release();
    await expect(heading, path).toBeVisible();
  }
});

test('the note on restored settings takes the place of the introduction, and moves nothing', async ({
  page,
}) => {
  const top = async () => {
    await expect(page.getByRole('heading', { name: 'Workspace', exact: true })).toBeVisible();
    // A reload keeps the position of the page.
    const heading = page.getByRole('heading', { name: 'Kind of run' });
    return heading.evaluate((element) => element.getBoundingClientRect().top + scrollY);
  };
  for (const width of [1280, 360, 320]) {
    await page.setViewportSize({ width, height: 740 });
    await page.goto('/runs/new');
    const before = await top();
    await page.getByLabel('Temperature').fill('0.4');
    await page.reload();
    await expect(page.getByText('Your changes to the settings were restored.')).toBeVisible();
    expect(await top(), `at ${width}`).toBe(before);
    await page.getByRole('button', { name: 'Reset settings' }).click();
    expect(await top(), `at ${width}`).toBe(before);
  }
});

test('the fonts of a page are preloaded, so that its words seldom move when they arrive', async ({
  page,
}) => {
  for (const path of ['/', '/runs/new']) {
    await page.goto(path);
    await page.evaluate(() => document.fonts.ready);
    const fonts = await page.evaluate(() => ({
      preloaded: [...document.querySelectorAll<HTMLLinkElement>('link[rel=preload][as=font]')].map(
        ({ href }) => href,
      ),
      loaded: performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter((name) => name.endsWith('.woff2')),
    }));
    expect(fonts.loaded, path).not.toEqual([]);
    // Equal addresses: a preloaded font that is not the style sheet's would be loaded twice.
    expect(fonts.loaded.toSorted(), path).toEqual(fonts.preloaded.toSorted());
  }
});

test('large figures on the end card stay on one line', async ({ page, loupe }) => {
  const { events } = longLog(4000, { runId: 'large-figures' });
  await importLog(loupe, events);
  const view = new RunView(page);
  await view.open('large-figures');
  await view.expectEnd('The model answered', 'final_answer');
  const figures = view.end.locator('dd');
  const heights = await figures.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
  expect(new Set(heights).size, heights.join(', ')).toBe(1);
});
