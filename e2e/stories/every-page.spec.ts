import type { Locator, Page } from '@playwright/test';
import type { BenchmarkListReply } from '../../lib/api/benchmark.ts';
import type { ShareReply } from '../../lib/api/share.ts';
import type { SuiteListReply } from '../../lib/api/suite.ts';
import type { FakeOllama } from '../../lib/demo/fake-ollama.ts';
import { npmServer } from '../../lib/mcp/under-test.ts';
import { openExperimentForm } from '../experiment-form.ts';
import { expect, expectAccessible, signIn, test } from '../fixtures.ts';
import { addBasics, addMcpServer, finishBenchmark, finishExperiment, finishRating } from '../furnish.ts';
import type { LoupeServer } from '../loupe-server.ts';
import {
  beyondEdge,
  cutTexts,
  MOUSE_TARGET_PX,
  misfits,
  overlaps,
  smallTargets,
  TOUCH_TARGET_PX,
} from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { finishRun, startRun } from '../runs.ts';

const LONG = 'a-very-long-word-without-any-blank-'.repeat(12);

interface Visit {
  name: string;
  /** Opens the page in this state. */
  open: (page: Page) => Promise<void>;
}

test.afterEach(async ({ loupe }) => {
  await loupe.request('/api/mcp/servers/everything', { method: 'DELETE', json: {} });
  const { suites } = (await (await loupe.request('/api/suites')).json()) as SuiteListReply;
  const { benchmarks } = (await (await loupe.request('/api/benchmarks')).json()) as BenchmarkListReply;
  for (const { id } of benchmarks) {
    await loupe.request(`/api/benchmarks/${id}`, { method: 'DELETE', json: {} });
  }
  for (const { id } of suites) await loupe.request(`/api/suites/${id}`, { method: 'DELETE', json: {} });
});

/** Every page, in every state that looks different. */
async function everyPage(loupe: LoupeServer, ollama: FakeOllama): Promise<Visit[]> {
  const worker = 'every-page';
  const waiting = 'every-page-waits';
  ollama.add({
    name: worker,
    steps: [
      {
        reply: {
          thinking: 'A thought.',
          content: `I begin. ${LONG}`,
          tool_calls: [
            { name: 'write_file', arguments: { path: 'notes.md', content: `# Notes\n${LONG}` } },
            { name: 'read_file', arguments: { path: `${LONG.slice(0, 180)}.md` } },
          ],
        },
      },
      {
        reply: { content: '{"name": "search_files", "arguments": {"pattern": "Notes", "max_results": "5"}}' },
      },
      { reply: { content: 'Next I will look around.' } },
      { reply: { content: `The task is completed. ${LONG}` } },
    ],
  });
  ollama.add({
    name: waiting,
    steps: [
      {
        reply: { content: 'One moment.', tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] },
      },
      { fault: { kind: 'hang' } },
    ],
  });
  ollama.add({
    name: 'every-page-differs',
    steps: [{ attempts: [{ reply: { content: 'Yes.' } }, { reply: { content: 'No.' } }] }],
  });
  // Its name is in every list of models.
  ollama.add({ name: `zz-${LONG.slice(0, 70)}`, steps: [{ reply: { content: 'Done.' } }] });
  const finished = await finishRun(loupe, {
    task: `Write notes. ${LONG}`,
    model: worker,
    think: true,
    budget: { max_tokens_total: 100_000, max_seconds: 600 },
    checks: [
      { type: 'file_exists', path: 'notes.md' },
      { type: 'file_contains', path: 'notes.md', text: LONG.slice(0, 90) },
      { type: 'file_exists', path: 'missing.md' },
    ],
    max_attempts: 1,
  });
  ollama.add({ name: 'every-page-talks', steps: [{ reply: { content: 'Good morning.' } }] });
  const session = await startRun(loupe, { mode: 'session', task: 'Hello', model: 'every-page-talks' });
  const failed = await finishRun(loupe, { task: 'Fail', model: 'not-installed' });
  const suite = await addBasics(loupe);
  await addMcpServer(loupe, 'everything', npmServer('everything', ['stdio']));
  const experiment = await finishExperiment(loupe, {
    ...{
      name: `Which is better? ${LONG.slice(0, 90)}`,
      mode: 'prompt',
      task: 'Say it.',
      models: [worker, 'every-page-differs'],
      repeats: 2,
    },
    factors: { temperature: [0, 0.5] },
  });
  const benchmark = await finishBenchmark(loupe, { rooms: ['hall', 'attic'], models: [worker] });
  const rating = await finishRating(loupe, {
    ...{ name: `Answers ${LONG.slice(0, 40)}`, run_ids: [finished.id], models: [worker] },
  });
  const running = await startRun(loupe, { task: 'Run on', model: waiting });
  const queued = await startRun(loupe, { task: 'Wait in line', model: waiting });
  const openRun = async (page: Page, id: string) => {
    const view = new RunView(page);
    await view.open(id);
    return view;
  };
  const openFinished = async (page: Page) => {
    const view = await openRun(page, finished.id);
    await view.expectEnd('Answered, 1 of 3 checks failed', 'final_answer');
    return view;
  };
  return [
    {
      name: 'the list of runs',
      open: async (page) => {
        await page.goto('/');
        await expect(page.getByRole('link', { name: /Run on/ }).first()).toBeVisible();
        await expect(page.getByLabel('Model', { exact: true })).toContainText('loupe-demo');
      },
    },
    {
      name: 'the benchmarks',
      open: async (page) => {
        await page.goto('/benchmarks');
        await page.getByRole('button', { name: 'New benchmark' }).click();
        await expect(page.getByRole('form', { name: 'Files' })).toBeVisible();
      },
    },
    {
      name: 'a benchmark',
      open: async (page) => {
        await page.goto(`/benchmarks/${benchmark}`);
        await expect(page.locator('[data-case]').first()).toBeVisible();
      },
    },
    {
      name: 'the ratings',
      open: async (page) => {
        await page.goto('/ratings');
        await page.getByRole('button', { name: 'New rating' }).click();
        await expect(page.getByRole('form', { name: 'New rating' })).toBeVisible();
      },
    },
    {
      name: 'the results of a rating',
      open: async (page) => {
        await page.goto(`/ratings/${rating}`);
        await page.getByRole('button', { name: 'Results' }).click();
        await expect(page.getByRole('region', { name: 'Mean scores' })).toBeVisible();
      },
    },
    {
      name: 'a rating by a person',
      open: async (page) => {
        await page.goto(`/ratings/${rating}`);
        await page.getByRole('button', { name: 'Rate texts' }).click();
        await expect(page.getByRole('region', { name: 'Rate texts' })).toBeVisible();
      },
    },
    {
      name: 'the checks of tools',
      open: async (page) => {
        await page.goto('/tools/checks?server=everything');
        await expect(page.getByRole('button', { name: 'Check', exact: true })).toBeVisible();
      },
    },
    {
      name: 'a new run',
      open: async (page) => {
        await page.goto('/runs/new');
        await page.getByText('Advanced').click();
        await page.getByText('An existing folder').click();
        for (const kind of ['Tool called', 'Answer fits JSON schema', 'Answer contains']) {
          await page.getByRole('button', { name: 'Add a check' }).click();
          await page.getByLabel('Kind of check').last().selectOption(kind);
        }
        await page.getByRole('button', { name: 'Start run', exact: true }).click();
        await expect(page.getByText('Say what the agent should do.')).toBeVisible();
      },
    },
    {
      name: 'a run at work',
      open: async (page) => {
        const view = await openRun(page, running.id);
        await expect(view.row('Model call 2, open')).toBeVisible();
      },
    },
    {
      name: 'a run in the queue',
      open: async (page) => {
        await openRun(page, queued.id);
        await expect(page.getByText('Waiting in queue')).toBeVisible();
      },
    },
    {
      name: 'a run that has ended',
      open: async (page) => {
        await openFinished(page);
      },
    },
    {
      name: 'a run with everything unfolded',
      open: async (page) => {
        const view = await openFinished(page);
        for (const name of ['Model call 1, ended', 'write_file, succeeded']) {
          const row = await view.reveal(view.row(name));
          await row.locator('button[aria-expanded="false"]').first().click();
        }
      },
    },
    {
      name: 'a session',
      open: async (page) => {
        await openRun(page, session.id);
        await expect(page.getByText('Waiting for a message')).toBeVisible();
      },
    },
    {
      name: 'the timeline of a session',
      open: async (page) => {
        const view = await openRun(page, session.id);
        await view.showTimeline();
      },
    },
    {
      name: 'a run that failed',
      open: async (page) => {
        const view = await openRun(page, failed.id);
        await view.expectEnd('The run failed', 'error');
      },
    },
    {
      name: 'the keys',
      open: async (page) => {
        const view = await openRun(page, finished.id);
        await expect(view.connection('Complete')).toBeVisible();
        await page.keyboard.press('?');
        await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
      },
    },
    {
      name: 'the models',
      open: async (page) => {
        await page.goto('/models');
        await expect(page.getByText('loupe-demo-loop')).toBeVisible();
      },
    },
    {
      name: 'the health',
      open: async (page) => {
        await page.goto('/health');
        await expect(page.getByText('Ollama: good')).toBeAttached();
      },
    },
    {
      name: 'the search in a run',
      open: async (page) => {
        await openFinished(page);
        await page.keyboard.press('/');
        await page.getByLabel('Search in this run', { exact: true }).fill('notes');
      },
    },
    {
      name: 'sharing',
      open: async (page) => {
        await openFinished(page);
        await page.getByRole('button', { name: 'Share' }).click();
        await expect(page.getByRole('button', { name: 'Create link' })).toBeEnabled();
      },
    },
    {
      name: 'forking',
      open: async (page) => {
        await openFinished(page);
        await new RunView(page).chooseNext('Fork before the answer');
        await expect(page.getByRole('button', { name: 'Start the fork' })).toBeVisible();
      },
    },
    {
      name: 'a replay',
      open: async (page) => {
        await openFinished(page);
        await page.getByRole('button', { name: 'Replay', exact: true }).click();
        await expect(page.getByRole('button', { name: 'Exit replay' })).toBeVisible();
      },
    },
    {
      name: 'what the model saw',
      open: async (page) => {
        const view = await openFinished(page);
        const row = await view.reveal(view.row('Model call 1, ended'));
        await row.getByRole('button', { name: /^Model/ }).click();
        await row.getByRole('button', { name: 'What the model saw' }).click();
        await expect(row.getByText('Shares are estimates')).toBeVisible();
      },
    },
    {
      name: 'the commands',
      open: async (page) => {
        await page.goto('/');
        await expect(page.getByRole('link', { name: /Run on/ }).first()).toBeVisible();
        await page.keyboard.press('Control+k');
        await expect(page.getByRole('combobox', { name: 'Command', exact: true })).toBeVisible();
      },
    },
    {
      name: 'two runs compared',
      open: async (page) => {
        await page.goto(`/compare?a=${finished.id}&b=${failed.id}`);
        await expect(page.getByRole('table', { name: 'Figures' })).toBeVisible();
      },
    },
    {
      name: 'the experiments',
      open: async (page) => {
        await openExperimentForm(page);
        await expect(page.getByRole('heading', { name: 'Experiments', exact: true })).toBeVisible();
      },
    },
    {
      name: 'an experiment with a factor',
      open: async (page) => {
        await page.goto(`/experiments/${experiment}`);
        await expect(page.getByRole('region', { name: 'Results by cell' })).toBeVisible();
        await expect(page.locator('figure[data-plot="Pass rate"]')).toBeVisible();
      },
    },
    {
      name: 'the suites',
      open: async (page) => {
        await page.goto('/suites');
        await expect(page.getByRole('link', { name: /Basics/ })).toBeVisible();
      },
    },
    {
      name: 'a suite',
      open: async (page) => {
        await page.goto(`/suites/${suite}`);
        await expect(page.getByRole('button', { name: 'Edit read.one-file' })).toBeVisible();
      },
    },
    {
      name: 'a case of a suite',
      open: async (page) => {
        await page.goto(`/suites/${suite}`);
        await page.getByRole('button', { name: 'Edit read.one-file' }).click();
        await expect(page.getByRole('dialog', { name: 'Edit case' })).toBeVisible();
      },
    },
    {
      name: 'the tools of a server',
      open: async (page) => {
        await page.goto('/tools');
        await page.getByRole('button', { name: 'get-sum', exact: true }).click();
        await expect(page.getByRole('form', { name: 'Try get-sum' })).toBeVisible();
      },
    },
    {
      name: 'a new server',
      open: async (page) => {
        await page.goto('/tools');
        await page.getByRole('button', { name: 'New server' }).click();
        await expect(page.getByRole('dialog', { name: 'New server' })).toBeVisible();
      },
    },
    {
      name: 'the plots of a run',
      open: async (page) => {
        await page.goto(`/runs/${finished.id}?view=plots`);
        await expect(page.getByRole('figure', { name: 'Context by iteration' })).toBeVisible();
      },
    },
    {
      name: 'a call to send again',
      open: async (page) => {
        const view = await openFinished(page);
        const row = await view.reveal(view.row('Model call 1, ended'));
        await row.getByRole('button', { name: /^Model/ }).click();
        await row.getByRole('button', { name: 'Re-run this call' }).click();
        await expect(page.getByRole('dialog').getByRole('region', { name: 'Messages' })).toBeVisible();
      },
    },
    {
      name: 'what is shared',
      open: async (page) => {
        await page.goto('/shares');
        await expect(page.getByRole('heading', { name: 'Shared runs' })).toBeVisible();
      },
    },
    {
      name: 'an unknown run',
      open: async (page) => {
        await openRun(page, 'nobody');
        await expect(page.getByText('There is no run "nobody"')).toBeVisible();
      },
    },
    {
      name: 'an unknown experiment',
      open: async (page) => {
        await page.goto('/experiments/nobody');
        await expect(page.getByRole('heading', { name: 'There is no experiment "nobody".' })).toBeVisible();
      },
    },
    {
      name: 'no page at all',
      open: async (page) => {
        await page.goto('/nowhere');
        await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
      },
    },
  ];
}

const resize = (page: Page, width: number) =>
  page.setViewportSize({ width, height: width > 2000 ? 2160 : 740 });

async function expectFits(page: Page, name: string): Promise<void> {
  const at = `${name} at ${page.viewportSize()?.width}`;
  expect({ at, ...(await misfits(page)) }).toEqual({ at, overflow: 0, outside: [], sideways: [] });
  // The page of a run scrolls in its parts, never as a whole.
  if ((await page.getByRole('feed').count()) === 0) return;
  const below = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
  expect({ at, below }).toEqual({ at, below: 0 });
}

/** Spaces letters, words and lines as a reader may (WCAG 2.2, success criterion 1.4.12). */
async function spaceText(page: Page): Promise<void> {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }',
    );
    document.adoptedStyleSheets.push(sheet);
  });
}

test('every page fits 320 to 3840 pixels, with targets of at least 44 for touch and 24 for a mouse, and axe finds nothing in light or dark [D22]', async ({
  page,
  loupe,
  ollama,
}) => {
  test.setTimeout(600_000);
  for (const { name, open } of await everyPage(loupe, ollama)) {
    await test.step(name, async () => {
      await page.emulateMedia({ colorScheme: 'light' });
      // Most other stories open pages in a wide window.
      await resize(page, 360);
      await open(page);
      await expectFits(page, name);
      // Soft, so that one run lists the small targets of all pages.
      const small = async (px: number) => ({ name, px, small: await smallTargets(page, px) });
      expect.soft(await small(TOUCH_TARGET_PX)).toEqual({ name, px: TOUCH_TARGET_PX, small: [] });

      await page.setViewportSize({ width: 1280, height: 860 });
      expect.soft(await small(MOUSE_TARGET_PX)).toEqual({ name, px: MOUSE_TARGET_PX, small: [] });
      await expectAccessible(page);
      // Dark pages differ only in their colors.
      await page.emulateMedia({ colorScheme: 'dark' });
      await expectAccessible(page, ['color-contrast']);
      for (const width of [3840, 768, 320]) {
        await resize(page, width);
        await expectFits(page, name);
      }
      await spaceText(page);
      await expectFits(page, `${name}, spaced,`);
    });
  }
});

test('a name or description that is cut off has all of it in its tooltip', async ({
  page,
  loupe,
  ollama,
}) => {
  const name = 'a-model-with-a-rather-long-name';
  ollama.add({ name, steps: [{ reply: { content: 'Done.' } }] });
  const task = 'Read the reports of all regions and write a summary of them';
  const one = await finishRun(loupe, { task, model: name });
  const other = await finishRun(loupe, { task: `${task} again`, model: name });
  for (const { id } of [one, other]) {
    const tags = ['a tag of forty characters as many as fit'.slice(0, 40)];
    await loupe.request(`/api/runs/${id}`, { method: 'PATCH', json: { tags } });
  }
  const suite = await addBasics(loupe);
  await addMcpServer(loupe, 'everything', npmServer('everything', ['stdio']));
  await page.setViewportSize({ width: 360, height: 740 });
  const main = page.getByRole('main');
  for (const [path, ready] of [
    ['/', main.getByText(task).first()],
    [`/runs/${one.id}`, main.getByText(/^a tag of/)],
    [`/compare?a=${one.id}&b=${other.id}`, page.getByRole('table', { name: 'Figures' })],
    ['/suites', page.getByRole('link', { name: /Basics/ })],
    [`/suites/${suite}`, page.getByRole('button', { name: 'Edit read.one-file' })],
    ['/tools', page.getByRole('button', { name: 'get-sum', exact: true })],
  ] as const) {
    await page.goto(path);
    await expect(ready).toBeVisible();
    expect.soft({ path, cut: await cutTexts(page) }).toEqual({ path, cut: [] });
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.goto('/');
  await expect(main.getByText(task).first()).toBeVisible();
  expect.soft({ columns: await cutTexts(page) }).toEqual({ columns: [] });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/ratings');
  await page.getByRole('button', { name: 'New rating' }).click();
  await expect(page.getByRole('group', { name: 'Runs' }).getByText(task).first()).toBeVisible();
  expect.soft({ path: '/ratings', cut: await cutTexts(page) }).toEqual({ path: '/ratings', cut: [] });
});

test('every page can be reached from the navigation at every width', async ({ page }) => {
  for (const width of [320, 360, 520, 640, 768, 1280, 2560, 3840]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto('/');
    expect((await misfits(page)).outside, `outside at ${width}`).toEqual([]);
    const menu = page.getByRole('button', { name: 'More pages and commands' });
    if (await menu.isVisible()) await menu.click();
    for (const label of ['Runs', 'Experiments', 'Suites', 'Ratings', 'Models', 'Tools', 'Shared']) {
      await expect(
        page.getByRole('link', { name: label, exact: true }),
        `${label} at ${width}`,
      ).toBeVisible();
    }
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/');
  // The first page of a newcomer, without any run.
  await expect(page.getByRole('region', { name: 'Getting started' })).toBeVisible();
  const menu = page.getByRole('button', { name: 'More pages and commands' });
  await menu.click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Search and commands' }).click();
  await expect(page.getByRole('combobox', { name: 'Command', exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  await menu.click();
  await page.getByRole('link', { name: 'Shared', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Shared runs' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'More pages', exact: true })).toBeHidden();
});

test('text has the size that the reader chose in the browser, and pages still fit [D22]', async ({
  page,
  setFontSizes,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'large-text', steps: [{ reply: { content: 'The task is completed.' } }] });
  const { id } = await finishRun(loupe, { task: 'Say hello', model: 'large-text' });
  await page.goto('/');
  await expect(page.locator('body')).toHaveCSS('font-size', '14px');
  await setFontSizes({ standard: 32, fixed: 26 });
  for (const path of [
    '/',
    '/runs/new',
    `/runs/${id}?view=plots`,
    '/experiments',
    '/suites',
    '/models',
    '/health',
  ]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
    await expect(page.locator('body')).toHaveCSS('font-size', '28px');
    for (const width of [1280, 640, 360]) {
      await page.setViewportSize({ width, height: 860 });
      await expect
        .poll(() => misfits(page), `${path} at ${width}`)
        .toEqual({ overflow: 0, outside: [], sideways: [] });
    }
  }
  // Its labels keep the room that the plot has for them.
  await page.goto(`/runs/${id}?view=plots`);
  await expect(page.locator('figure svg text').first()).toHaveCSS('font-size', '15px');
});

test('with large text on a phone, forms fit, and the parts of an experiment in the list do not overlap', async ({
  page,
  setFontSizes,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'large-a', steps: [{ reply: { content: 'Yes.' } }] });
  await finishExperiment(loupe, {
    ...{ name: 'Large text', mode: 'prompt', task: 'Say it.', models: ['large-a'], repeats: 3 },
  });
  await page.setViewportSize({ width: 360, height: 740 });
  for (const standard of [24, 32]) {
    await setFontSizes({ standard, fixed: 20 });
    await page.goto('/runs/new');
    await page.getByText('Advanced').click();
    for (const kind of ['Session', 'Explore', 'Task']) {
      await page.getByRole('radiogroup', { name: 'Mode' }).getByText(kind).click();
      expect({ kind, ...(await misfits(page)) }).toEqual({ kind, overflow: 0, outside: [], sideways: [] });
    }
    await page.goto('/');
    const row = page.getByRole('link', { name: /Large text/ });
    await expect(row).toBeVisible();
    const badge = await row.getByText('experiment, 3 runs').boundingBox();
    const outcome = await row.getByText('3 answered').boundingBox();
    expect(outcome?.y, `at ${standard}`).toBeGreaterThanOrEqual((badge?.y ?? 0) + (badge?.height ?? 0));
    const links = page.getByRole('navigation', { name: 'Pages', exact: true }).locator('a:visible');
    const spill = await links.evaluateAll((all) => all.map((link) => link.scrollWidth - link.clientWidth));
    expect(Math.max(...spill), `names of pages at ${standard}`).toBe(0);
    await page.getByRole('button', { name: 'More pages and commands' }).click();
    expect((await misfits(page)).outside).toEqual([]);
  }
});

test('with large text on a phone, no row of a list or a timeline is cut off at the edge of the window', async ({
  page,
  setFontSizes,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'large-rows',
    steps: [
      {
        reply: {
          content: '',
          tool_calls: [
            { name: 'write_file', arguments: { path: 'notes.md', content: 'A note.' } },
            { name: 'list_directory', arguments: { path: '.' } },
          ],
        },
      },
      { reply: { content: 'Done.' } },
    ],
  });
  const { id } = await finishRun(loupe, { task: 'Write a note', model: 'large-rows' });
  const failed = await finishRun(loupe, { task: 'Fail', model: 'not-installed' });
  await finishExperiment(loupe, {
    ...{ name: 'Large rows', mode: 'prompt', task: 'Say it.', models: ['large-rows'], repeats: 2 },
  });
  await page.setViewportSize({ width: 360, height: 740 });
  await setFontSizes({ standard: 32, fixed: 26 });
  for (const [path, ready] of [
    ['/', page.getByRole('link', { name: /Large rows/ })],
    ['/experiments', page.getByRole('link', { name: /Large rows/ })],
    ['/health', page.getByText('this browser')],
  ] as const) {
    await page.goto(path);
    await expect(ready).toBeVisible();
    expect.soft({ path, beyond: await beyondEdge(page) }).toEqual({ path, beyond: [] });
  }
  const view = new RunView(page);
  for (const run of [id, failed.id]) {
    await view.open(run);
    await expect(view.end).toBeVisible();
    expect.soft({ run, beyond: await beyondEdge(page) }).toEqual({ run, beyond: [] });
  }
  await view.open(id);
  for (const name of ['Model call 1, ended', 'list_directory']) {
    const row = await view.reveal(view.row(name));
    await row.locator('[aria-expanded]').first().click();
    await expect(row.locator('[aria-expanded=true]').first()).toBeVisible();
    expect.soft({ name, beyond: await beyondEdge(page) }).toEqual({ name, beyond: [] });
  }
});

test('the bar marks the current page at every width, or the menu that has its link', async ({ page }) => {
  const menu = page.getByRole('button', { name: 'More pages and commands' });
  const pages = page.getByRole('navigation', { name: 'Pages' });
  for (const path of [
    '/',
    '/suites',
    '/benchmarks',
    '/ratings',
    '/models',
    '/tools',
    '/shares',
    '/compare',
  ]) {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(path);
    for (const width of [360, 768, 1023]) {
      await page.setViewportSize({ width, height: 740 });
      const marked = pages.locator('[aria-current]:visible').or(menu.and(page.locator('[aria-current]')));
      await expect(marked, `${path} at ${width}`).toHaveCount(1);
    }
  }
  await page.goto('/tools');
  await menu.click();
  await expect(
    page.getByRole('navigation', { name: 'More pages', exact: true }).locator('[aria-current=page]'),
  ).toHaveText('Tools');
});

test('a run can be read and sent a message in a window of 320 by 256 pixels, as at 400 % zoom [D22]', async ({
  page,
  browser,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'zoomed', steps: [{ reply: { content: 'One moment.' } }] });
  const release = ollama.hold('zoomed', { turn: 0, afterTokens: 1 });
  const { id } = await startRun(loupe, { task: 'Run on', model: 'zoomed' });
  await page.setViewportSize({ width: 320, height: 256 });
  const view = new RunView(page);
  await view.open(id);
  const seen = async (part: Locator) => {
    await part.scrollIntoViewIfNeeded();
    await expect(part).toBeInViewport({ ratio: 0.9 });
  };
  await seen(view.row('Model call 1, open').getByText('Model', { exact: true }));
  await seen(page.getByLabel('Message to the agent'));
  // Firefox and Safari treat a minimum height of `min-content` as none, and would draw the rows over the message box.
  await expect(page.locator('main')).toHaveCSS('min-height', /px$/);
  expect(await misfits(page)).toEqual({ overflow: 0, outside: [], sideways: [] });
  expect(await overlaps(page)).toEqual([]);
  await page.getByRole('button', { name: 'More pages and commands' }).click();
  await seen(page.getByRole('button', { name: 'Search and commands' }));
  await page.keyboard.press('Escape');
  release();
  await view.expectEnd('The model answered', 'final_answer');
  await seen(view.end.getByRole('heading', { name: 'The model answered' }));

  await test.step('the fields and buttons of a dialog', async () => {
    await view.chooseNext('Fork before the answer');
    await seen(page.getByLabel('Message to the model'));
    await seen(page.getByRole('button', { name: 'Start the fork' }));
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('a shared run, too', async () => {
    const answer = await loupe.request(`/api/runs/${id}/shares`, { json: {} });
    const { share } = (await answer.json()) as ShareReply;
    const context = await browser.newContext({ viewport: page.viewportSize() });
    const guest = await context.newPage();
    await guest.goto(share.url ?? '');
    // It opens at the task.
    await seen(new RunView(guest).row('Task').getByText('Run on'));
    await context.close();
  });
});

test('an ended run opens at its end card, and its lines are readable [D8]', async ({
  page,
  loupe,
  ollama,
}) => {
  const words = 'The answer is a long text that goes on in one line for as long as there is room for it. ';
  ollama.add({
    name: 'talks-long',
    steps: [{ reply: { content: `The task is completed. ${words.repeat(8)}` } }],
  });
  const { id } = await finishRun(loupe, { task: words.repeat(4), model: 'talks-long' });
  for (const [width, height] of [
    [360, 560],
    [1280, 600],
    [3840, 2160],
  ] as const) {
    await page.setViewportSize({ width, height });
    const view = new RunView(page);
    await view.open(id);
    await expect(view.connection('Complete')).toBeVisible();
    await expect(view.end.getByRole('heading', { name: 'The model answered' })).toBeInViewport();
    // Within the viewport is not enough: nothing of the heading may be under the bar above.
    const above = () =>
      view.end.evaluate(
        (end) =>
          end.getBoundingClientRect().top -
          (end.closest('[role="feed"]')?.parentElement?.getBoundingClientRect().top ?? 0),
      );
    await expect.poll(above, `at ${width}`).toBeGreaterThanOrEqual(0);
    const longest = await view.end.locator('.markdown p').evaluate((text) => {
      const node = document.createTreeWalker(text, NodeFilter.SHOW_TEXT).nextNode();
      const range = document.createRange();
      let start = 0;
      let most = 0;
      let top: number | undefined;
      for (let index = 0; node && index < (node.nodeValue?.length ?? 0); index += 1) {
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        const line = range.getBoundingClientRect().top;
        if (top !== undefined && line > top + 4) start = index;
        top = line;
        most = Math.max(most, index - start + 1);
      }
      return most;
    });
    expect(longest, `characters in a line at ${width}`).toBeLessThanOrEqual(100);
    if (width > 360) expect(longest, `characters in a line at ${width}`).toBeGreaterThanOrEqual(60);
  }
});

test('at 360 pixels a run is started, followed and stopped by touch [D22]', async ({
  browser,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'a-small-screen', steps: [{ fault: { kind: 'hang' } }] });
  const context = await browser.newContext({
    baseURL: loupe.url,
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  await signIn(context, loupe);
  const phone = await context.newPage();
  await phone.goto('/');
  await phone.getByLabel('Model', { exact: true }).selectOption({ label: 'a-small-screen:latest' });
  await phone.getByLabel('Task', { exact: true }).fill('Wait');
  await phone.getByRole('button', { name: 'Start', exact: true }).tap();
  const view = new RunView(phone);
  await expect(view.row('Model call 1, open')).toBeVisible();
  await phone.getByText('Guardrails and totals').first().tap();
  await expect(phone.getByText('Identical calls in a row').first()).toBeVisible();
  await phone.getByText('Guardrails and totals').first().tap();
  await phone.getByRole('button', { name: 'Stop now', exact: true }).tap();
  await view.expectEnd('The run was stopped', 'stopped');
  await context.close();
});

test('the theme follows the system until it is changed, and is applied before the first paint [D22]', async ({
  page,
}) => {
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('/models');
  const dark = await background();
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await background();
  expect(light).not.toBe(dark);
  await page.getByRole('button', { name: 'Theme: system. Change to light' }).click();
  await page.getByRole('button', { name: 'Theme: light. Change to dark' }).click();
  await expect.poll(background).toBe(dark);
  await page.reload({ waitUntil: 'commit' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.waitForLoadState();
  expect(await background()).toBe(dark);
});
