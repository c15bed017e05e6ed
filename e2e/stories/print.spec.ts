import { expect, test } from '../fixtures.ts';
import { finishExperiment } from '../furnish.ts';

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
  await expect(page.getByRole('button', { name: 'Extend' })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Export' })).toBeHidden();
  const swatch = page.getByRole('figure').locator('span[aria-hidden="true"]:empty').first();
  await expect(swatch).toHaveCSS('print-color-adjust', 'exact');
});
