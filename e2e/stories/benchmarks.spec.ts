import type { Locator } from '@playwright/test';
import type { BenchmarkListReply } from '../../lib/api/benchmark.ts';
import { benchmarkQuestion, writeBenchmarkFolder } from '../../lib/testing/benchmark-folder.ts';
import { holdReply } from '../delay-reply.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { loseFirstAnswer } from '../lose-answer.ts';
import { misfits, smallTargets, TOUCH_TARGET_PX, twoFrames } from '../page-fit.ts';

test.afterEach(async ({ loupe }) => {
  const { benchmarks } = (await (await loupe.request('/api/benchmarks')).json()) as BenchmarkListReply;
  for (const { id } of benchmarks) {
    await loupe.request(`/api/benchmarks/${id}`, { method: 'DELETE', json: {} });
  }
});

test('a benchmark shows what reading leaked calls is worth, and why each reply is right or wrong', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  const rooms = ['hall', 'attic', 'garage'];
  const folder = writeBenchmarkFolder(workspace(), rooms);
  for (const room of rooms) {
    const call = { name: 'lamp_set', arguments: { room, level: 5 } };
    ollama.add({
      ...{ name: `lamps-${room}`, model: 'lamps', match: benchmarkQuestion(room) },
      steps: [{ reply: room === 'hall' ? { tool_calls: [call] } : { content: JSON.stringify(call) } }],
    });
  }
  ollama.add({ name: 'lamps-talk', model: 'lamps', match: '?', steps: [{ reply: { content: 'Well.' } }] });
  const release = ollama.hold('lamps-garage', { turn: 0 });

  await test.step('choosing files, categories and a model', async () => {
    await page.goto('/suites');
    await page.getByRole('link', { name: 'Open benchmarks' }).click();
    const folderField = page.getByRole('textbox', { name: 'Folder' });
    await folderField.fill('/nowhere');
    await page.getByRole('button', { name: 'Read files' }).click();
    await expect(page.getByRole('main').getByRole('alert')).toContainText('is not a folder on this machine');
    await folderField.fill(folder);
    await page.getByRole('button', { name: 'Read files' }).click();
    const form = page.getByRole('form', { name: 'New benchmark' });
    await form.getByRole('checkbox', { name: 'lamps' }).check();
    await page.reload();
    await expect(folderField).toHaveValue(folder);
    await page.getByRole('button', { name: 'Read files' }).click();
    await expect(form.getByRole('checkbox', { name: 'lamps' })).toBeChecked();
    await expect(form).toContainText('5 cases');
    await form.getByLabel('Cases of each category').fill('all');
    await expect(form).toContainText('It must be a whole number of at least 1.');
    await expect(form).not.toContainText('NaN');
    await form.getByLabel('Cases of each category').fill('');
    await expect(form).toContainText('5 cases');
    await expectAccessible(page);
    await loseFirstAnswer(page, '**/api/benchmarks');
    await form.getByRole('button', { name: 'Start benchmark' }).click();
    await expect(form.getByText('The Loupe server does not answer.')).toBeVisible();
    await form.getByRole('button', { name: 'Start benchmark' }).click();
    await expect(page).toHaveURL(/\/benchmarks\/./);
    const { benchmarks } = (await (await loupe.request('/api/benchmarks')).json()) as BenchmarkListReply;
    expect(benchmarks).toHaveLength(1);
  });

  await test.step('progress, stop and continue', async () => {
    await expect(page.getByText('2 of 5 cases')).toBeVisible();
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect(page.getByText('Stopped', { exact: true })).toBeVisible();
    release();
    await expect(page.getByRole('button', { name: 'Continue' })).toBeFocused();
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByText('Finished', { exact: true })).toBeVisible();
    await expect(page.getByText('5 of 5 cases')).toBeVisible();
  });

  await test.step('the form for another one has the focus until it is cancelled', async () => {
    await page.getByRole('link', { name: 'Function calling', exact: true }).click();
    const open = page.getByRole('button', { name: 'New benchmark' });
    await open.click();
    const folderField = page.getByRole('textbox', { name: 'Folder' });
    await expect(folderField).toBeFocused();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(open).toBeFocused();
    await open.click();
    await folderField.fill(folder);
    await folderField.press('Enter');
    await page.getByRole('form', { name: 'New benchmark' }).getByRole('button', { name: 'Cancel' }).click();
    await expect(open).toBeFocused();
    await page.goBack();
  });

  await test.step('figures and cases', async () => {
    const row = page.getByRole('row').filter({ hasText: 'Simple (Python)' });
    await expect(row).toContainText('33%');
    await expect(row).toContainText('100%');
    const plot = page.locator('[data-plot="Accuracy"]');
    await expect(plot).toBeVisible();
    const centers = (marks: Locator) =>
      marks.evaluateAll((all) =>
        all.map((mark) => {
          const { left, right } = mark.getBoundingClientRect();
          return (left + right) / 2;
        }),
      );
    const [native = 0, read = 0, next = 0] = await centers(plot.locator('circle'));
    const [label = 0] = await centers(plot.locator('svg text').getByText('1', { exact: true }));
    expect(Math.abs(label - (native + read) / 2), 'the number is between both readings').toBeLessThan(1);
    expect(next - read, 'both readings are closer to each other').toBeGreaterThan(read - native + 1);
    // The whole table is in view.
    expect(
      await page
        .getByRole('region', { name: 'Accuracy by category' })
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
    ).toBe(0);
    await page.getByRole('combobox', { name: 'Cases' }).selectOption('Right only with Loupe');
    await expect(page.locator('[data-case]')).toHaveCount(2);
    await page.getByRole('button', { name: /simple_python_1/ }).click();
    const opened = page.getByRole('region', { name: 'simple_python_1' });
    await expect(opened.getByRole('region', { name: 'Native alone' })).toContainText(
      'Wrong. The reply has 0 calls, not 1.',
    );
    await expect(opened.getByRole('region', { name: 'With Loupe' })).toContainText('JSON in text');
    await expectAccessible(page);
    await opened.getByRole('tab', { name: 'Sent' }).click();
    await expect(opened.getByRole('tabpanel')).toContainText(benchmarkQuestion('attic'));
    await opened.getByRole('tab', { name: 'Expected' }).click();
    await expect(opened.getByRole('tabpanel')).toContainText('"lamp.set"');
    await page.reload();
    await expect(opened).toBeVisible();
    await page.emulateMedia({ media: 'print' });
    await expect(page.getByRole('combobox', { name: 'Cases' })).toBeHidden();
    await expect(page.getByText('2 cases (Right only with Loupe)')).toBeVisible();
    await page.emulateMedia({ media: 'screen' });
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    expect((await download).suggestedFilename()).toMatch(/^loupe-benchmark-.*\.csv$/);
  });

  await test.step('on a phone', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => misfits(page)).toEqual({ overflow: 0, outside: [], sideways: [] });
    expect(await smallTargets(page, TOUCH_TARGET_PX)).toEqual([]);
    const table = page.getByRole('region', { name: 'Accuracy by category' });
    const [frame, head] = [
      await table.boundingBox(),
      await table.getByRole('columnheader', { name: 'With Loupe' }).boundingBox(),
    ];
    expect((head?.x ?? 0) + (head?.width ?? 0)).toBeLessThanOrEqual((frame?.x ?? 0) + (frame?.width ?? 0));
    await page.goto('/benchmarks');
    await expect(page.getByRole('link', { name: /lamps/ })).toBeVisible();
    await expect.poll(() => misfits(page)).toEqual({ overflow: 0, outside: [], sideways: [] });
  });
});

test('files that are read late do not replace those of the folder chosen since', async ({
  page,
  workspace,
}) => {
  const [former, chosen] = [workspace(), workspace()].map((root) => writeBenchmarkFolder(root, ['hall']));
  await page.goto('/benchmarks');
  const files = page.getByRole('form', { name: 'Files' });
  await files.getByRole('textbox', { name: 'Folder' }).fill(former ?? '');
  const answer = await holdReply(page, '/api/benchmarks/plan', 1);
  await files.getByRole('button', { name: 'Read files' }).click();
  await files.getByRole('button', { name: 'Choose' }).click();
  const dialog = page.getByRole('dialog', { name: 'Choose a folder' });
  await dialog.getByLabel('Path', { exact: true }).fill(chosen ?? '');
  await dialog.getByRole('button', { name: /^Use / }).click();
  await expect(files).toContainText(`Read: ${chosen}`);
  const answered = page.waitForResponse(/\/api\/benchmarks\/plan$/);
  answer();
  await (await answered).finished();
  await twoFrames(page);
  await expect(files).toContainText(`Read: ${chosen}`);
});
