import type { Locator } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { finishRun } from '../runs.ts';

/** Emulates Windows' contrast themes, which replace the colors of a page. */
test.use({ contextOptions: { forcedColors: 'active' } });

/** A picture of a control, without a sign of the pointer or the focus. */
async function pictureOf(control: Locator): Promise<Buffer> {
  const page = control.page();
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  return control.screenshot({ animations: 'disabled' });
}

test('what is chosen is seen without the colors of the design [D22]', async ({ page }) => {
  await page.goto('/runs/new');
  const tiers = page.getByRole('radiogroup', { name: 'Tier' });
  const complex = tiers.locator('label', { hasText: 'Complex' });
  const tierBefore = await pictureOf(complex);
  await complex.click();
  await expect(tiers.getByRole('radio', { name: 'Complex' })).toBeChecked();
  expect(await pictureOf(complex)).not.toEqual(tierBefore);
  const guard = page.getByLabel('Stall guard');
  const guardBefore = await pictureOf(guard);
  await guard.click();
  expect(await pictureOf(guard)).not.toEqual(guardBefore);
});

test('values that differ can be read without the colors of the design [D22]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'contrast-a', steps: [{ reply: { content: 'The task is completed.' } }] });
  ollama.add({ name: 'contrast-b', steps: [{ reply: { content: 'All done.' } }] });
  const a = await finishRun(loupe, { task: 'Say hello', model: 'contrast-a' });
  const b = await finishRun(loupe, { task: 'Say goodbye', model: 'contrast-b' });
  await page.goto(`/compare?a=${a.id}&b=${b.id}`);
  const value = page.locator('mark', { hasText: 'contrast-b' }).first();
  const shown = await pictureOf(value);
  await value.evaluate((mark) => mark.style.setProperty('-webkit-text-fill-color', 'transparent'));
  expect(await pictureOf(value)).not.toEqual(shown);
});
