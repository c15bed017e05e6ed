import { expect, type Page } from '@playwright/test';

/** Opens the form of a new experiment, which is already open while there is no experiment yet. */
export async function openExperimentForm(page: Page): Promise<void> {
  await page.goto('/experiments');
  const begin = page.getByRole('button', { name: 'New experiment' });
  const name = page.getByLabel('Name', { exact: true });
  await expect(begin.or(name)).toBeVisible();
  if (await begin.isVisible()) await begin.click();
  await expect(name).toBeVisible();
}
