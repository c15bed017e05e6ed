import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { longLog, repairedLog } from '../../lib/testing/sample-logs.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { twoFrames } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { startRun } from '../runs.ts';
import { storeRuns } from '../stored-run.ts';

const LONG = '20261121-0910-long';
const MENDED = '20261121-0911-mended';

async function opened(
  ownServer: (options: { ollamaUrl: string; dataDir: string }) => Promise<{ page: Page }>,
  ollamaUrl: string,
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-rows-'));
  await storeRuns(dataDir, { [LONG]: longLog(400).events, [MENDED]: repairedLog().events });
  const { page } = await ownServer({ ollamaUrl, dataDir });
  return {
    page,
    view: new RunView(page),
    tool: page.getByLabel('Only the calls of a tool'),
    all: page.getByRole('button', { name: /of .* rows; show all/ }),
  };
}

test('row filters by tool are kept in the URL and work with Back and Forward', async ({
  ownServer,
  ollama,
}) => {
  const { page, view, tool, all } = await opened(ownServer, ollama.url);
  const seq = longLog(400).events.find((event) => event.type === 'tool-call.started')?.seq ?? 0;

  await test.step('a tool that is chosen after a deep link stays chosen', async () => {
    await view.open(LONG, { seq });
    await expect(view.timeline.locator('article:focus')).toHaveAccessibleName(/^read_file/);
    await tool.selectOption('write_file');
    await expect(view.row(/^write_file/).first()).toBeAttached();
    await expect(view.row(/^read_file/)).toHaveCount(0);
    await expect(page).toHaveURL(/\?tool=write_file$/);
    await expect(all).toBeInViewport();
    await page.reload();
    await expect(page).toHaveURL(/\?tool=write_file$/);
    await expect(view.row(/^write_file/).first()).toBeAttached();
    await expect(view.row(/^read_file/)).toHaveCount(0);
  });

  await test.step('Back takes the choice back, and leads to the row of the link again', async () => {
    await page.goBack();
    await expect(page).toHaveURL(new RegExp(`/${LONG}#${seq}$`));
    await expect(tool).toHaveValue('');
    await expect(view.timeline.locator('article:focus')).toHaveAccessibleName(/^read_file/);
  });

  await test.step('Forward makes it again, and a new one can be made after Back', async () => {
    await page.goForward();
    await expect(tool).toHaveValue('write_file');
    await page.goBack();
    await expect(tool).toHaveValue('');
    await expect(view.timeline.locator('article:focus')).toHaveAccessibleName(/^read_file/);
    await tool.selectOption('read_file');
    await expect(page).toHaveURL(/\?tool=read_file$/);
    await expect(view.row(/^write_file/)).toHaveCount(0);
  });

  await test.step('all rows are one press away', async () => {
    await all.click();
    await expect(page).not.toHaveURL(/tool=/);
    await expect(all).toBeHidden();
  });
});

test('filter chips combine, o shows messages only, and an empty result says so', async ({
  ownServer,
  ollama,
}) => {
  const { page, view } = await opened(ownServer, ollama.url);
  await view.open(LONG);
  const rows = page.getByRole('toolbar', { name: 'Rows', exact: true });
  await rows.getByRole('button', { name: 'Model calls' }).click();
  await expect(page).toHaveURL(/\?rows=model$/);
  await rows.getByRole('button', { name: 'Tools' }).click();
  await expect(page).toHaveURL(/\?rows=model%2Ctools$/);
  await expect(rows.getByRole('button', { name: 'Model calls', pressed: true })).toBeVisible();
  await page.goBack();
  await expect(rows.getByRole('button', { name: 'Tools', pressed: false })).toBeVisible();
  await page.goBack();
  await expect(page).not.toHaveURL(/rows=/);
  await page.keyboard.press('o');
  await expect(page).toHaveURL(/\?rows=talk$/);
  await expect(view.timeline.getByRole('article').first()).toBeVisible(); // a key does nothing before there are rows
  await page.keyboard.press('g');
  await expect(view.row('Task')).toBeFocused();
  await expect(view.row(/^read_file/)).toHaveCount(0);
  await page.keyboard.press('o');
  await expect(page).not.toHaveURL(/rows=/);
  await page.keyboard.press('e');
  await expect(page).toHaveURL(/\?failed=1$/);
  await expect(page.getByText('No rows match.')).toBeVisible();
  await page.getByRole('button', { name: 'Show all rows' }).click();
  await expect(page).not.toHaveURL(/failed=/);
});

test('shows only problems, reports an invalid filter URL, and handles a link to a hidden row', async ({
  ownServer,
  ollama,
}) => {
  const { page, view } = await opened(ownServer, ollama.url);
  await page.goto(`/runs/${MENDED}?rows=walk&failed=1`);
  await expect(page.getByRole('main').getByRole('alert')).toContainText('rows contains "walk"');
  await expect(view.timeline.locator('article').first()).toBeVisible();
  await expect(view.row('Task')).toHaveCount(0);
  await expectAccessible(page);
  await page.evaluate(() => {
    location.hash = '1';
  });
  await expect(view.row('Task')).toBeFocused();
  await expect(page.getByText('Filters cleared: they hid the row you asked for.')).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/${MENDED}#1$`));
  await twoFrames(page);
  await expect(page).toHaveURL(new RegExp(`/${MENDED}#1$`));
  await page.goBack();
  await expect(page).toHaveURL(/\?rows=walk&failed=1$/);
  await expect(view.row('Task')).toHaveCount(0);
});

test('d cycles through the densities, and the browser remembers the choice', async ({
  ownServer,
  ollama,
}) => {
  const { page, view } = await opened(ownServer, ollama.url);
  const density = page.locator('html');
  const height = () =>
    view.timeline.evaluate((feed) => feed.querySelector('article')?.getBoundingClientRect().height ?? 0);
  await page.goto(`/runs/${MENDED}`);
  await expect(view.connection('Complete')).toBeVisible();
  await page.keyboard.press('g');
  await expect(view.row('Task')).toBeFocused();
  const roomy = await height();
  await page.keyboard.press('d');
  await expect(page.getByText('Compact')).toBeVisible();
  await expect(density).toHaveAttribute('data-density', 'dense');
  await expect.poll(height).toBeLessThan(roomy);
  await page.keyboard.press('d');
  await expect(page.getByText('One line per row')).toBeVisible();
  await page.reload();
  await expect(density).toHaveAttribute('data-density', 'skim');
  await expect(view.connection('Complete')).toBeVisible();
  await page.keyboard.press('d');
  await expect(density).toHaveAttribute('data-density', 'roomy');
});

test('the count of rows is announced when the filter changes, not with every new row', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'counts',
    steps: [
      {
        repeat: 4,
        steps: [
          {
            reply: {
              tool_calls: [{ name: 'write_file', arguments: { path: '{{n}}.md', content: '{{n}}' } }],
            },
          },
        ],
      },
      { reply: { content: 'The task is completed.' } },
    ],
  });
  const release = ollama.hold('counts', { turn: 2 });
  const { id } = await startRun(loupe, { task: 'Count', model: 'counts' });
  const view = new RunView(page);
  await view.open(id);
  await expect(view.row('Model call 3, open')).toBeVisible();
  const bar = page.getByRole('toolbar', { name: 'Rows', exact: true });
  const all = bar.getByRole('button', { name: /of .* rows; show all/ });
  await bar.getByRole('button', { name: 'Tools' }).click();
  const count = await all.innerText();
  await expect(bar.getByRole('status')).toHaveText(/^\d+ of \d+ rows$/);
  const said = await bar.getByRole('status').innerText();
  await page.keyboard.press('/');
  const search = page.getByRole('search');
  await search.getByLabel('Search in this run').fill('write_file');
  await expect(search.getByRole('status')).toHaveText('2');
  release();
  await expect(view.connection('Complete')).toBeVisible();
  await expect(all).not.toHaveText(count);
  expect(await bar.getByRole('status').innerText()).toBe(said);
  await expect(search.getByText('4', { exact: true })).toBeVisible();
  await expect(search.getByRole('status')).toHaveText('2');
  await bar.getByRole('button', { name: 'Problems' }).click();
  await expect(bar.getByRole('status')).not.toHaveText(said);

  await test.step('the focus stays in the bar when its button vanishes', async () => {
    await all.focus();
    await page.keyboard.press('Enter');
    await expect(all).toBeHidden();
    await expect(bar.locator(':focus')).toBeVisible();
  });

  await test.step('and goes to the rows from the button below the bar', async () => {
    await page.keyboard.press('e');
    await page.getByRole('button', { name: 'Show all rows' }).press('Enter');
    await expect(view.timeline.locator('article:focus')).toBeVisible();
  });
});

test('a part of the URL that is ignored can be dismissed', async ({ ownServer, ollama }) => {
  const { page, view, all } = await opened(ownServer, ollama.url);
  await page.goto(`/runs/${MENDED}?rows=walk`);
  await expect(view.timeline.locator('article').first()).toBeVisible();
  await expect(all).toBeHidden();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page).not.toHaveURL(/rows=/);
  await expect(page.getByRole('main').getByRole('alert')).toBeHidden();
});

test('at 360 pixels the toolbar stays visible', async ({ ownServer, ollama }) => {
  const { page, tool, all } = await opened(ownServer, ollama.url);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/runs/${MENDED}?failed=1`);
  await expect(all).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('button', { name: 'Search in this run (/)' })).toBeInViewport({ ratio: 1 });
  await page.getByRole('toolbar', { name: 'Rows', exact: true }).getByRole('combobox').focus();
  await expect(tool).toBeInViewport({ ratio: 1 });
});
