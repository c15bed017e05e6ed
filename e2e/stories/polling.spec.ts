import type { Page, Request } from '@playwright/test';
import { expect, test } from '../fixtures.ts';

/** Counts the requests of a page to a path, with any query. */
function countRequests(page: Page, path: string): { count: () => number; settled: () => Promise<void> } {
  let count = 0;
  const open = new Set<Request>();
  const isCounted = (request: Request) => new URL(request.url()).pathname === path;
  page.on('request', (request) => {
    if (!isCounted(request)) return;
    count += 1;
    open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  return { count: () => count, settled: () => expect.poll(() => open.size).toBe(0) };
}

async function setVisibility(page: Page, state: DocumentVisibilityState): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, state);
}

test('one poll of the health serves the header and the page, and none a hidden page [D11]', async ({
  page,
}) => {
  const health = countRequests(page, '/api/health');
  await page.clock.install();
  await page.goto('/models');
  await expect(page.getByRole('banner').getByRole('link', { name: /^Ollama/ })).toBeVisible();
  // From here on the page's clock only moves on command, however slow this machine is.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
  await health.settled();
  const before = health.count();
  for (let interval = 1; interval <= 6; interval += 1) {
    await page.clock.runFor(10_000);
    await expect.poll(health.count).toBe(before + interval);
    await health.settled();
  }
  // A page that is opened between two polls shows the state that the header already has, and shares its poll.
  await page.clock.runFor(4000);
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await expect(page.getByLabel('Quick run')).toBeVisible();
  await page.clock.runFor(6000);
  await expect.poll(health.count).toBe(before + 7);
  await health.settled();
  await page.clock.runFor(9000);
  expect(health.count()).toBe(before + 7);

  await setVisibility(page, 'hidden');
  await page.clock.runFor(60_000);
  expect(health.count()).toBe(before + 7);
  await setVisibility(page, 'visible');
  await expect.poll(health.count).toBe(before + 8);
});

test('a form shows a custom tool that was made in another tab when the person returns', async ({
  page,
  loupe,
}) => {
  const tools = countRequests(page, '/api/tools');
  await page.goto('/runs/new');
  await expect(page.getByText(/^\d tools: /).first()).toBeVisible();
  await tools.settled();
  await page.getByLabel('What should the agent do?').fill('Count the words.');
  await setVisibility(page, 'hidden');
  const tool = {
    ...{ name: 'count_words', description: 'Count words.', command: ['wc', '-w'] },
    parameters: { type: 'object', properties: {} },
  };
  expect((await loupe.request('/api/command-tools', { json: { tool } })).status).toBe(201);
  await expect(page.getByLabel('All custom tools')).toHaveCount(0);
  await setVisibility(page, 'visible');
  await expect(page.getByLabel('All custom tools')).toBeVisible();
  await expect(page.getByLabel('What should the agent do?')).toHaveValue('Count the words.');
  await loupe.request(`/api/command-tools/${tool.name}`, { method: 'DELETE', json: {} });
});
