import { expect, test } from '../fixtures.ts';
import { finishExperiment } from '../furnish.ts';
import { RunView } from '../run-view.ts';
import { finishRun } from '../runs.ts';

test('a printed experiment has all columns and the colors of its legends, and no buttons', async ({
  page,
  loupe,
  ollama,
}) => {
  for (const name of ['printed-a', 'printed-b']) {
    ollama.add({ name, steps: [{ reply: { content: 'Done.' } }] });
  }
  const id = await finishExperiment(loupe, {
    ...{ name: 'On paper', mode: 'prompt', task: 'Say it.', models: ['printed-a', 'printed-b'] },
  });
  // About as wide as a page of A4.
  await page.setViewportSize({ width: 703, height: 1000 });
  await page.goto(`/experiments/${id}`);
  const table = page.getByRole('region', { name: 'Results by cell' });
  const overflow = () => table.evaluate((region) => getComputedStyle(region).overflowX);
  await expect(table).toBeVisible();
  await expect(page.getByRole('button', { name: 'Extend' })).toBeVisible();
  expect(await overflow()).toBe('auto');

  await page.emulateMedia({ media: 'print' });
  expect(await overflow()).toBe('visible');
  await expect(table.getByRole('cell').last()).toHaveCSS('white-space', 'normal');
  await expect(page.getByRole('button', { name: 'Extend' })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Export' })).toBeHidden();
  await expect(page.getByText('Quick prompts · Created')).toBeVisible();
  await expect(page.getByText('Say it.', { exact: true })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Figures by cell' })).toBeVisible();
  const swatch = page.getByRole('figure').locator('span[aria-hidden="true"]:empty').first();
  await expect(swatch).toHaveCSS('print-color-adjust', 'exact');
});

test('a printed report of an experiment has all columns', async ({ page, loupe, ollama }) => {
  for (const name of ['reported-a', 'reported-b']) {
    ollama.add({ name, steps: [{ reply: { content: 'Done.' } }] });
  }
  const id = await finishExperiment(loupe, {
    ...{ name: 'Report', mode: 'prompt', task: 'Say it.', models: ['reported-a', 'reported-b'] },
    factors: { temperature: [0, 0.5, 1] },
  });
  const report = await (await loupe.request(`/api/experiments/${id}/export?format=html`)).text();
  await page.setViewportSize({ width: 703, height: 1000 });
  await page.emulateMedia({ media: 'print' });
  await page.setContent(report);
  const overflow = (part: string) =>
    page
      .locator(part)
      .evaluateAll((parts) => parts.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
  for (const part of ['.scrolls', 'pre', 'html']) {
    const pixels = await overflow(part);
    expect(pixels.length, part).toBeGreaterThan(0);
    expect(Math.max(...pixels), part).toBeLessThanOrEqual(0);
  }
});

test('a printed run has its facts in full, and no heading without what it heads', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'prints', steps: [{ reply: { content: 'Done.' } }] });
  const { id } = await finishRun(loupe, { task: 'Print it', model: 'prints', workspace: workspace() });
  await page.setViewportSize({ width: 703, height: 1000 });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  await page.emulateMedia({ media: 'print' });
  const folder = page.getByText(/loupe-workspace-/).first();
  await expect(folder).toBeVisible();
  expect(await folder.evaluate((text) => text.scrollWidth - text.clientWidth)).toBeLessThanOrEqual(0);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await expect(view.row('Iteration 1')).toHaveCSS('break-after', 'avoid-page');
});

test('a printed run list has no new-run form, import or links to other lists', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'listed-on-paper', steps: [{ reply: { content: 'Done.' } }] });
  await finishRun(loupe, { task: 'Stand in a list', model: 'listed-on-paper' });
  await page.goto('/');
  const parts = [
    page.getByRole('textbox', { name: 'Task' }),
    page.getByRole('link', { name: 'Archived runs' }),
    page.getByText('Import a run', { exact: false }),
  ];
  for (const part of parts) await expect(part).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  for (const part of parts) await expect(part).toBeHidden();
  await expect(page.getByRole('link', { name: 'Stand in a list' })).toBeVisible();
});
