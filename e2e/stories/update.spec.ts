import { expect, test } from '../fixtures.ts';

test('a page from before an update says so, until it is reloaded', async ({ page }) => {
  let build: string | undefined;
  await page.route('**/api/health', async (route) => {
    const response = await route.fetch();
    const reply = (await response.json()) as { build?: string };
    expect(reply.build).toMatch(/^[0-9a-f]{64}$/);
    await route.fulfill({ response, json: { ...reply, build: build ?? reply.build } });
  });
  await page.clock.install();
  await page.goto('/models');
  const ollama = page.getByRole('banner').getByRole('link', { name: /^Ollama/ });
  const banner = page.getByRole('complementary', { name: 'Update' });
  await expect(ollama).toBeVisible();
  await expect(banner).toBeHidden();

  build = 'of-the-update';
  await page.clock.runFor(10_000);
  await expect(banner).toContainText('Loupe has been updated.');
  await banner.getByRole('button', { name: 'Reload' }).click();
  await expect(banner).toBeHidden();
  await expect(ollama).toBeVisible();
  await page.clock.runFor(10_000);
  await expect(banner).toBeHidden();
});
