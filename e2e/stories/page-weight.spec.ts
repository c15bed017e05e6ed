import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { addBasics, finishExperiment } from '../furnish.ts';
import { RunView } from '../run-view.ts';
import { finishRun } from '../runs.ts';

/** The most JavaScript that a page may load before anyone does anything, as sent, in bytes. */
const MAX_BYTES = 250_000;
/** The page of a run has the whole timeline and its strip of plots, and is nobody's first page. */
const MAX_RUN_BYTES = 300_000;
/** With the code that shows its answer as Markdown, which loads once the run is readable. */
const MAX_WHOLE_RUN_BYTES = 350_000;

/** The scripts that a page loads (except its worker's), with their sizes as sent. Fails if one is sent uncompressed. */
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

test('every page loads at most 250 kB of JavaScript, compressed, and that of a run 300 kB', async ({
  context,
  loupe,
  ollama,
  page,
}) => {
  ollama.add({ name: 'light', steps: [{ reply: { content: 'The task is completed.' } }] });
  const { id } = await finishRun(loupe, { task: 'Say hello', model: 'light' });
  const suite = await addBasics(loupe);
  const experiment = await finishExperiment(loupe, {
    ...{ name: 'Light', mode: 'prompt', task: 'Say hello', models: ['light'] },
    factors: { temperature: [0, 1] },
  });
  await page.close();
  for (const path of [
    '/',
    '/runs/new',
    '/models',
    '/experiments',
    `/experiments/${experiment}`,
    '/suites',
    `/suites/${suite}`,
    '/tools',
    '/tools/checks',
    '/benchmarks',
    '/ratings',
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
    const html = await (await opened.request.get(path)).text();
    const first = () => new Map([...sizes].filter(([name]) => html.includes(name)));
    // The code that shows the answer follows, in several files.
    if (path.includes(id)) {
      await expect.poll(() => sizes.size - first().size).toBeGreaterThan(0);
      await expect(async () => {
        const before = sizes.size;
        await new Promise((done) => setTimeout(done, 1000));
        expect(sizes.size).toBe(before);
      }).toPass();
    }
    const bytes = sum(sizes);
    const named = path.replace(id, 'RUN').replace(experiment, 'ID').replace(suite, 'ID');
    console.info(`${named.padEnd(16)} ${Math.round(bytes / 1000)} kB of JavaScript`);
    if (path.includes(id)) {
      expect(first().size, 'scripts of the page itself').toBeGreaterThan(5);
      expect(sum(first()), path).toBeLessThanOrEqual(MAX_RUN_BYTES);
      expect(bytes, `${path} with its answer`).toBeLessThanOrEqual(MAX_WHOLE_RUN_BYTES);
    } else {
      expect(bytes, path).toBeLessThanOrEqual(MAX_BYTES);
    }
    await opened.close();
  }
  await loupe.request(`/api/suites/${suite}`, { method: 'DELETE', json: {} });
});
