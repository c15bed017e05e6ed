import { expect, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';

// Opened from another machine over http (`--host`), a page has no secure context and lacks these functions. The stories
// stay on loopback, which is a secure context, so they are removed here.
test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => {
    const without = (holder: object, name: string) =>
      Object.defineProperty(holder, name, { value: undefined, configurable: true });
    Object.defineProperty(window, 'isSecureContext', { value: false });
    for (const name of ['randomUUID', 'subtle']) without(Crypto.prototype, name);
    for (const name of ['clipboard', 'locks', 'serviceWorker', 'storage']) without(Navigator.prototype, name);
    without(window, 'caches');
  });
});

test('a session can be started, continued and shared from another machine', async ({ page, ollama }) => {
  ollama.add({
    name: 'distant',
    steps: [{ reply: { content: 'Here I am.' } }, { reply: { content: 'Still here.' } }],
  });
  const view = new RunView(page);
  await page.goto('/');
  expect(await page.evaluate(() => [typeof crypto.randomUUID, typeof navigator.locks])).toEqual([
    'undefined',
    'undefined',
  ]);
  await page.getByRole('textbox', { name: 'Task' }).fill('Is anyone there?');
  await page.getByRole('combobox', { name: 'Model' }).selectOption('distant:latest');
  await page.getByRole('button', { name: 'Start session' }).click();
  await expect(view.row('Answer').last()).toContainText('Here I am.');

  await test.step('a message is sent', async () => {
    await page.getByLabel('Message to the agent').fill('Still?');
    await page.getByLabel('Message to the agent').press('Enter');
    await expect(view.row('Answer').last()).toContainText('Still here.');
  });

  await test.step('a share link is copied', async () => {
    await page.evaluate(() => {
      document.addEventListener('copy', () =>
        document.body.setAttribute('data-copied', String(getSelection())),
      );
    });
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this run' });
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await dialog.getByRole('button', { name: 'Copy the link', exact: true }).click();
    await expect(page.locator('body')).toHaveAttribute('data-copied', /^http:.*\/s\//);
  });
});
