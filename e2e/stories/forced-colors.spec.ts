import type { Locator } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { finishExperiment } from '../furnish.ts';
import { RunView } from '../run-view.ts';
import { finishRun, startRun } from '../runs.ts';

/** Emulates Windows' contrast themes, which replace the colors of a page. */
test.use({ contextOptions: { forcedColors: 'active' } });

/** A screenshot of a control without hover or focus styles. */
async function pictureOf(control: Locator): Promise<Buffer> {
  const page = control.page();
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  return control.screenshot({ animations: 'disabled' });
}

test('selected items are recognizable without the colors of the design [D22]', async ({ page }) => {
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

test('the highlighted command, the current page and a switch are visible without the colors of the design [D22]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'contrast-pilot', steps: [{ reply: { content: 'Go on.' } }] });
  const { id } = await startRun(loupe, { mode: 'session', model: 'contrast-pilot', task: 'Go.' });
  await new RunView(page).open(id);
  const autopilot = page.getByRole('switch', { name: 'Autopilot' });
  const off = await pictureOf(autopilot.locator('span').first());
  await autopilot.click();
  await expect(autopilot).toBeChecked();
  expect(await pictureOf(autopilot.locator('span').first())).not.toEqual(off);

  const tab = page.getByRole('tab', { name: 'Messages', exact: true });
  const unselected = await pictureOf(tab);
  await tab.click();
  await expect(tab).toHaveAttribute('aria-selected', 'true');
  expect(await pictureOf(tab)).not.toEqual(unselected);

  const line = page
    .getByRole('banner')
    .getByRole('link', { name: 'Runs', exact: true })
    .evaluate((link) => getComputedStyle(link, '::after').backgroundColor);
  const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  expect(await line).not.toBe(ground);

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command', exact: true }).fill('Go to');
  const option = page.getByRole('option').first();
  await expect(option).toHaveAttribute('aria-selected', 'true');
  const before = await option.screenshot({ animations: 'disabled' });
  await page.keyboard.press('ArrowDown');
  await expect(option).toHaveAttribute('aria-selected', 'false');
  expect(await option.screenshot({ animations: 'disabled' })).not.toEqual(before);
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

test('the legend of a report has the colors of its plot, which the system does not replace', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'contrast-report', steps: [{ reply: { content: 'Done.' } }] });
  const id = await finishExperiment(loupe, {
    ...{ name: 'Contrast', mode: 'prompt', task: 'Say it.', models: ['contrast-report'] },
  });
  const report = await (await loupe.request(`/api/experiments/${id}/export?format=html`)).text();
  await page.setContent(report);
  const color = await page
    .locator('svg .plot-3')
    .first()
    .evaluate((bar) => getComputedStyle(bar).fill);
  await expect(page.locator('.swatch.plot-3').first()).toHaveCSS('background-color', color);
});
