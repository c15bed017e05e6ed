import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { startFakeOllama } from '../../lib/demo/fake-ollama.ts';
import { finishWriters } from '../compared-runs.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { storeManyRuns } from '../many-runs.ts';
import { misfits } from '../page-fit.ts';

const letters = (page: Page) => page.getByRole('list', { name: 'Compared runs' });
const chosen = (page: Page, letter: string) =>
  letters(page).getByRole('listitem', { name: `Run ${letter}`, exact: true });

async function expectNothingWider(page: Page) {
  expect((await misfits(page)).overflow).toBe(0);
}

test('three runs selected in the list are compared, with their answers and files', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  await finishWriters({ loupe, ollama }, { count: 3, workspace });
  await page.goto('/');
  const boxes = page.getByRole('checkbox', { name: 'Select: Summarize the regions' });
  await expect(boxes).toHaveCount(3);
  // The newest is on top: the oldest is selected first.
  for (const index of [2, 1, 0]) await boxes.nth(index).check();
  await page.getByRole('region', { name: 'Selected runs' }).getByRole('link', { name: 'Compare' }).click();
  for (const [index, letter] of ['A', 'B', 'C'].entries()) {
    await expect(chosen(page, letter)).toContainText(`writer-${index + 1}`);
  }
  // In one row, each above its answer.
  const [first, third] = [await chosen(page, 'A').boundingBox(), await chosen(page, 'C').boundingBox()];
  expect(third?.y).toBe(first?.y);

  const answers = page.getByRole('region', { name: 'Final answers' });
  await test.step('final answers are Markdown, and as diffs have real line breaks', async () => {
    await expect(answers.getByRole('group', { name: 'Answer of run A' }).getByRole('table')).toBeVisible();
    await expect(answers.getByRole('group', { name: 'Answer of run C' })).toContainText('summary.md');
    await expectAccessible(page);
    await answers.getByRole('button', { name: 'Diff' }).click();
    const diff = answers.getByRole('group', { name: 'Changes to Answer: A → B' });
    await expect(diff).toContainText('removed: - South has 44 new customers.');
    await expect(diff).toContainText('added: - West has the lowest costs.');
    await expect(diff.getByText('\\n')).toHaveCount(0);
    await expect(answers.getByRole('group', { name: 'Changes to Answer: A → C' })).toBeVisible();
  });

  await test.step('figures have a column per run, and times are not marked', async () => {
    const figures = page.getByRole('table', { name: 'Figures' });
    await expect(figures.getByRole('columnheader')).toHaveText(['Name', 'A', 'B', 'C']);
    await expect(figures.getByRole('row', { name: 'Tool calls' }).getByRole('cell')).toHaveText([
      '2',
      '3+1',
      '1−1',
    ]);
    await expect(figures.getByRole('row', { name: 'Tool calls' }).locator('mark')).toHaveText(['3', '1']);
    await expect(
      page.getByRole('table', { name: 'Times' }).getByRole('row', { name: 'Started' }),
    ).toBeVisible();
    await expect(page.getByRole('table', { name: 'Times' }).locator('mark')).toHaveCount(0);
  });

  await test.step('the files that the runs changed are listed, with their final contents as diffs', async () => {
    const files = page.getByRole('region', { name: 'Changed files' });
    const row = (path: string) =>
      files.getByRole('listitem').filter({ has: page.getByRole('button', { name: path, exact: true }) });
    await expect(row('notes/method.md')).toContainText('same as A');
    await expect(row('notes/method.md')).toContainText('not changed');
    await row('summary.md').getByRole('button', { name: 'summary.md', exact: true }).click();
    const diff = row('summary.md').getByRole('group', { name: 'Changes to summary.md' });
    await expect(diff.locator('del')).toHaveText('98');
    await expect(diff.locator('ins')).toHaveText('96');
    await row('costs.csv').getByRole('button', { name: 'costs.csv', exact: true }).click();
    await expect(row('costs.csv')).toContainText('A did not change this file. This is what B changed.');
    await expect(row('costs.csv').getByRole('group', { name: 'Changes to costs.csv' })).toContainText(
      'new file',
    );
    await row('costs.csv').getByRole('button', { name: 'C', exact: true }).click();
    await expect(row('costs.csv')).toContainText('Neither A nor C changed this file.');
    await expectAccessible(page);
  });

  await test.step('the timelines of all runs are above each other', async () => {
    const cursor = page.getByRole('figure', { name: 'Time by iteration' }).getByRole('slider');
    await cursor.focus();
    await page.keyboard.press('End');
    await expect(cursor).toHaveAttribute('aria-valuetext', /A has none · B .+ · C has none$/);
  });

  await test.step('the steps of another run are compared with the baseline', async () => {
    const steps = page.getByRole('region', { name: 'Iterations', exact: true });
    await expect(steps.getByRole('region', { name: 'Where the runs diverge' })).toContainText('iteration 1');
    await steps.getByRole('button', { name: 'C', exact: true }).click();
    await expect(page).toHaveURL(/with=/);
    const first = steps.locator('#step-1');
    await expect(first.getByRole('link', { name: 'in C' })).toBeVisible();
    const call = first.getByRole('group', { name: 'Changes to call write_file' });
    await expect(call).toContainText('removed: South: 98');
    await expect(call).toContainText('added: South: 96');
  });

  await test.step('on a tablet the answers are side by side without scrolling', async () => {
    await page.setViewportSize({ width: 768, height: 1024 });
    await answers.getByRole('button', { name: 'Side by side' }).click();
    const strip = answers.getByRole('article', { name: 'Run A' }).locator('xpath=..');
    expect(await strip.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await answers.getByRole('button', { name: 'Diff' }).click();
  });

  await test.step('on a phone nothing is wider than the screen', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNothingWider(page);
    await answers.getByRole('button', { name: 'Side by side' }).click();
    await expectNothingWider(page);
    await answers.getByRole('article', { name: 'Run C' }).scrollIntoViewIfNeeded();
    await expect(answers.getByRole('article', { name: 'Run C' })).toBeInViewport();
    await expectAccessible(page);
  });
});

test('up to six runs are compared, and can be added, removed and made the baseline', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  const runs = await finishWriters({ loupe, ollama }, { count: 6, workspace });
  const [first, second, third] = runs.map(({ id }) => id);
  await page.goto(`/compare?a=${first}`);
  await expect(page.getByText('Choose 2 to 6 runs')).toBeVisible();
  await expect(chosen(page, 'A')).toContainText('writer-1');
  const boxes = page.getByRole('group', { name: 'Runs', exact: true }).getByRole('checkbox');
  for (const [index, letter] of ['B', 'C', 'D', 'E', 'F'].entries()) {
    const box = boxes.and(page.getByLabel(`writer-${index + 2} `));
    await box.focus();
    await page.keyboard.press('Space');
    await expect(chosen(page, letter)).toContainText(`writer-${index + 2}`);
    await expect(box).toBeFocused();
  }
  await expect(page).toHaveURL(new RegExp(runs.map(({ id }) => id).join('.*')));
  await expect(page.getByText('6 runs chosen, at most 6')).toBeVisible();
  const figures = page.getByRole('table', { name: 'Figures' });
  await expect(figures.getByRole('columnheader')).toHaveText(['Name', 'A', 'B', 'C', 'D', 'E', 'F']);
  await expect(figures.getByRole('row', { name: 'Tool calls' }).locator('mark')).toHaveCount(4);
  await page.setViewportSize({ width: 768, height: 1024 });
  const frame = figures.locator('xpath=..');
  expect(await frame.evaluate((element) => element.scrollWidth - element.clientWidth), 'at 768').toBe(0);
  await page.setViewportSize({ width: 1280, height: 860 });
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Make baseline: run C' }).click();
  await expect(chosen(page, 'A')).toContainText('writer-3');
  await expect(figures.getByRole('row', { name: 'Tool calls' }).getByRole('cell').first()).toHaveText('1');
  await expect(page).toHaveURL(new RegExp(`a=${third}&b=${first}&c=${second}`));

  await page.getByRole('button', { name: 'Remove run A' }).click();
  await expect(figures.getByRole('columnheader')).toHaveCount(6);
  await expect(chosen(page, 'F')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Remove run A' })).toBeFocused();
  await boxes.and(page.getByLabel('writer-2 ')).uncheck();
  await expect(letters(page)).not.toContainText('writer-2');
  await page.getByRole('button', { name: 'Choose runs' }).click();
  await expect(boxes).toHaveCount(0);
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNothingWider(page);

  const refused = await loupe.request(`/api/compare/runs?run=${first}`);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('2 to 6 runs');
});

test('any run can be compared: all runs are searched, and earlier ones are shown', async ({ ownServer }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-many-'));
  const [newest] = await storeManyRuns(dataDir, 120, Date.now());
  const ollama = await startFakeOllama({ models: [{ name: 'qwen3:8b' }] });
  const { loupe, page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  const oldest = 'run-00119';
  expect(
    (await loupe.request(`/api/runs/${oldest}`, { method: 'PATCH', json: { title: 'Kestrel' } })).ok,
  ).toBe(true);
  await page.goto('/compare');
  const boxes = page.getByRole('group', { name: 'Runs', exact: true }).getByRole('checkbox');
  await expect(boxes).toHaveCount(50);
  await boxes.first().check();
  await page.getByRole('button', { name: 'Show earlier runs' }).click();
  await expect(boxes).toHaveCount(100);
  await page.getByRole('searchbox', { name: 'Search runs' }).fill('kestrel');
  await expect(boxes).toHaveCount(2); // with the chosen one
  await page.getByRole('checkbox', { name: /Kestrel/ }).check();
  await expect(page).toHaveURL(new RegExp(`a=${newest}&b=${oldest}`));
  await expect(page.getByRole('table', { name: 'Figures' })).toBeVisible();

  // A run that is not among the newest is named, and stays chosen.
  await page.goto(`/compare?a=${oldest}`);
  await expect(chosen(page, 'A')).toContainText('Kestrel');
  await expect(boxes.and(page.getByLabel('Kestrel'))).toBeChecked();
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNothingWider(page);
  await ollama.close();
});
