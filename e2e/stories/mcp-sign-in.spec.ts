import { startOauthMcpServer } from '../../lib/testing/oauth-mcp-server.ts';
import { expect, expectAccessible, signIn, test } from '../fixtures.ts';
import { send } from '../furnish.ts';

test.afterEach(async ({ loupe }) => {
  await loupe.request('/api/mcp/servers/tracker', { method: 'DELETE', json: {} });
});

test('a person signs in to a server in another tab, and out again [O29]', async ({ browser, loupe }) => {
  await using tracker = await startOauthMcpServer();
  await send(loupe, '/api/mcp/servers', { name: 'tracker', server: { type: 'http', url: tracker.url } });
  // A separate browser, because it visits the authorization server, which the browsers of other stories must
  // not.
  const context = await browser.newContext({ baseURL: loupe.url });
  await signIn(context, loupe);
  const page = await context.newPage();
  const server = page.getByRole('region', { name: 'tracker', exact: true });
  const { host } = new URL(tracker.url);

  await test.step('the server says that it needs one', async () => {
    await page.goto('/tools');
    await server.getByRole('button', { name: 'Start tracker' }).click();
    await expect(server.getByText('sign-in needed')).toBeVisible();
    await expect(server.getByText('The server "tracker" requires you to sign in.')).toBeVisible();
    await expectAccessible(page);
  });

  const begin = async (answer: 'Allow' | 'Deny') => {
    await server.getByRole('button', { name: 'Sign in to tracker' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in to tracker' });
    await expect(dialog.getByText(`tracker sends you to ${host} to sign in.`)).toBeVisible();
    await expectAccessible(page);
    const opened = context.waitForEvent('page');
    await dialog.getByRole('link', { name: `Open ${host}` }).click();
    const tab = await opened;
    await tab.getByRole('link', { name: answer }).click();
    return { tab, dialog };
  };

  await test.step('access is denied', async () => {
    const { tab, dialog } = await begin('Deny');
    await expect(tab.getByText('Signing in to "tracker" failed: access_denied.')).toBeVisible();
    await tab.close();
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  await test.step('access is allowed', async () => {
    const { tab, dialog } = await begin('Allow');
    await expect(tab.getByText('Signed in to tracker.')).toBeVisible();
    // The code is gone from the address, so that it is in no history.
    await expect(tab).toHaveURL(/\/tools\/sign-in$/);
    await expectAccessible(tab);
    await tab.reload();
    await expect(tab.getByText('This sign-in is over.')).toBeVisible();
    await tab.close();
    await expect(dialog).toBeHidden();
    await expect(server.getByText('ready')).toBeVisible();
    await expect(server.getByText('You are signed in.')).toBeVisible();
    await expect(server.getByRole('button', { name: 'find', exact: true })).toBeVisible();
  });

  await test.step('signed out', async () => {
    await server.getByRole('button', { name: 'Sign out of tracker' }).click();
    await expect(server.getByText('You are signed in.')).toBeHidden();
    await server.getByRole('button', { name: 'Start tracker' }).click();
    await expect(server.getByText('sign-in needed')).toBeVisible();
  });
  await context.close();
});
