import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { finishRun } from '../runs.ts';

/** Holds back all scripts that the page requests from now on. Returns a function that releases them. */
async function holdScripts(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/_next/static/**/*.js', async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Commands' });
const fieldOf = (page: Page) => dialogOf(page).getByLabel('Command', { exact: true });

test('the command palette takes what is typed before its search is loaded [D22]', async ({ page }) => {
  await page.goto('/');
  const release = await holdScripts(page);
  await page.keyboard.press('Control+K');
  await page.keyboard.type('halth');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('e');
  await expect(fieldOf(page)).toBeFocused();
  await expect(fieldOf(page)).toHaveValue('health');
  await expect(dialogOf(page).getByRole('option')).toHaveCount(0);
  await expectAccessible(page);
  release();
  await expect(dialogOf(page).getByRole('option', { name: /Health/ })).toBeVisible();
  await expect(fieldOf(page)).toBeFocused();
  // The caret has stayed where it was.
  await page.keyboard.type('X');
  await expect(fieldOf(page)).toHaveValue('heXalth');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/health$/);
  await expect(dialogOf(page)).toBeHidden();
});

test('Enter and arrow keys pressed before its search is loaded count too [D22]', async ({ page }) => {
  await page.goto('/');
  const release = await holdScripts(page);
  await page.keyboard.press('Control+K');
  // Of the themes, the second: light, dark, system.
  await page.keyboard.type('theme');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.type('ignored');
  release();
  await expect(dialogOf(page)).toBeHidden();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.getByRole('button', { name: /^Theme: dark/ })).toBeVisible();
});

test('the key that opened the palette closes it while it is loading [D22]', async ({ page }) => {
  await page.goto('/');
  const release = await holdScripts(page);
  await page.keyboard.press('Control+K');
  await page.keyboard.type('models');
  await page.keyboard.press('Control+K');
  await expect(dialogOf(page)).toBeHidden();
  await page.keyboard.press('Control+K');
  await page.keyboard.press('Escape');
  await expect(dialogOf(page)).toBeHidden();
  release();
  await page.keyboard.press('Control+K');
  await expect(dialogOf(page).getByRole('option').first()).toBeVisible();
  await expect(fieldOf(page)).toHaveValue('');
});

test('code that cannot be loaded is reported, and nothing else breaks [D22]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'no-code', steps: [{ reply: { content: 'The task is completed.' } }] });
  const { id } = await finishRun(loupe, { task: 'Say hello', model: 'no-code' });
  await page.goto(`/runs/${id}`);
  const share = page.getByRole('button', { name: 'Share', exact: true });
  await expect(share).toBeVisible();
  await page.route('**/_next/static/**/*.js', (route) => route.abort());
  await page.keyboard.press('Control+K');
  await expect(dialogOf(page).getByRole('alert')).toContainText('could not be loaded');
  await page.keyboard.press('Escape');
  await share.click();
  await expect(page.getByRole('status').filter({ hasText: 'could not be loaded' })).toBeVisible();
  await expect(page.getByRole('dialog')).toBeHidden();
  const view = new RunView(page);
  await view.chooseNext('Run again');
  await expect(view.end.getByRole('alert')).toContainText('could not be loaded');
  await page.unroute('**/_next/static/**/*.js');
  await view.chooseNext('Run again');
  await expect(page).not.toHaveURL(new RegExp(id));
});
