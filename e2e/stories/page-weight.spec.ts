import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { finishRun } from '../runs.ts';

/** The most JavaScript that a page may load before anyone does anything, as sent, in bytes. */
const MAX_BYTES = 250_000;
/** The page of a run has the whole timeline, and is not the first that anyone opens. */
const MAX_RUN_BYTES = 256_000;

/** The scripts that a page loads (its worker's apart), with their sizes as sent. Fails for one that is sent plain. */
async function scriptsOf(page: Page, path: string, ready: Locator): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.endsWith('.js')) return;
    const { 'content-encoding': encoding, 'content-length': length } = response.headers();
    expect(encoding, pathname).toMatch(/^(br|gzip)$/);
    sizes.set(pathname, Number(length));
  });
  await page.goto(path);
  await expect(ready).toBeVisible();
  return sizes;
}

const sum = (sizes: Map<string, number>) => [...sizes.values()].reduce((all, size) => all + size, 0);

test('every page loads at most 250 kB of JavaScript, compressed, and that of a run 256 kB', async ({
  context,
  loupe,
  ollama,
  page,
}) => {
  ollama.add({ name: 'light', steps: [{ reply: { content: 'The task is completed.' } }] });
  const { id } = await finishRun(loupe, { task: 'Say hello', model: 'light' });
  await page.close();
  for (const path of [
    '/',
    '/runs/new',
    '/models',
    '/experiments',
    '/compare',
    '/shares',
    '/health',
    `/runs/${id}`,
  ]) {
    const opened = await context.newPage();
    const sizes = await scriptsOf(
      opened,
      path,
      path.includes(id) ? new RunView(opened).end : opened.getByRole('main'),
    );
    expect(sizes.size, `${path} loads scripts`).toBeGreaterThan(5);
    const bytes = sum(sizes);
    console.info(`${path.replace(id, 'RUN').padEnd(14)} ${Math.round(bytes / 1000)} kB of JavaScript`);
    expect(bytes, path).toBeLessThanOrEqual(path.includes(id) ? MAX_RUN_BYTES : MAX_BYTES);
    await opened.close();
  }
});
