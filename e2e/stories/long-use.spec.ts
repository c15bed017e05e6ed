import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '../fixtures.ts';
import type { LoupeServer } from '../loupe-server.ts';
import { storeManyRuns } from '../many-runs.ts';
import { finishRun } from '../runs.ts';

/** Tags runs, which changes each of them in all open lists. */
async function tagAll(loupe: LoupeServer, runs: readonly string[], tag: string): Promise<void> {
  for (let start = 0; start < runs.length; start += 100) {
    const json = { runs: runs.slice(start, start + 100), add_tags: [tag] };
    const answer = await loupe.request('/api/selection/annotate', { json });
    expect(answer.status, await answer.text()).toBe(200);
  }
}

test('a list that stays open does not accumulate every run that changes', async ({ ollama, ownServer }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-data-'));
  const ids = await storeManyRuns(dataDir, 400, Date.now());
  ollama.add({ name: 'last', steps: [{ reply: { content: 'Done.' } }] });
  const { loupe, page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  await page.goto('/');
  const rows = page.getByRole('region', { name: 'Runs', exact: true }).getByRole('listitem');
  await expect(rows.first()).toBeVisible();
  const first = await rows.count();
  await page.getByRole('button', { name: 'Show earlier runs' }).click();
  await expect.poll(() => rows.count()).toBeGreaterThan(first);
  const before = await rows.count();

  await tagAll(loupe, ids, 'seen');
  await finishRun(loupe, { task: 'The last one', model: 'last' });
  await expect(rows.filter({ hasText: 'The last one' })).toContainText('Answered');
  await expect.poll(() => rows.count()).toBeLessThanOrEqual(before + 201);
  // Rows that a person has loaded stay.
  expect(await rows.count()).toBeGreaterThanOrEqual(before);
});

test('an open list renders nothing as long as nothing changes', async ({ ollama, ownServer }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-data-'));
  await storeManyRuns(dataDir, 60, Date.now());
  const { page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  await page.addInitScript(() => {
    const counter = { commits: 0 };
    // React reports every rendering to its developer tools.
    const hook = {
      supportsFiber: true,
      inject: () => 1,
      onCommitFiberRoot: () => {
        counter.commits += 1;
      },
      onCommitFiberUnmount: () => undefined,
      onPostCommitFiberRoot: () => undefined,
    };
    Object.assign(window, { counter, __REACT_DEVTOOLS_GLOBAL_HOOK__: hook });
  });
  await page.clock.install();
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'Show earlier runs' })).toBeVisible();
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
  // The result of a poll may be new.
  await page.route(/\/api\//, () => undefined);
  const commits = () =>
    page.evaluate(() => (window as unknown as { counter: { commits: number } }).counter.commits);
  expect(await commits()).toBeGreaterThan(0);
  // What was on its way, such as the first report of the stream, is still drawn. A timer would go on.
  const drawnIn = async (ms: number) => {
    const before = await commits();
    await page.clock.runFor(ms);
    return (await commits()) - before;
  };
  await expect.poll(() => drawnIn(3000)).toBe(0);
});
