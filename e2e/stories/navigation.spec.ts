import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { logOf, startRun } from '../runs.ts';

const read = { reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'plan.txt' } }] } };
const done = { reply: { content: 'The task is completed.' } };

test('a clicked link is followed even if the row in the URL arrives while the next page loads', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'late-row', steps: [read, done] });
  const release = ollama.hold('late-row', { turn: 1 });
  const folder = workspace({ 'plan.txt': 'Read me.\n' });
  const { id } = await startRun(loupe, { task: 'Read', model: 'late-row', workspace: folder });
  await expect
    .poll(async () => (await logOf(loupe, id)).filter(({ type }) => type === 'model-call.started').length)
    .toBe(2);
  const seq = (await logOf(loupe, id)).length;

  const view = new RunView(page);
  // The event after the last: its row is there only once the model has answered.
  await view.open(id, { seq: seq + 1 });
  await expect(view.row('read_file, succeeded')).toBeVisible();
  const gate = Promise.withResolvers<void>();
  await page.route(
    (url) => url.pathname === '/models' && url.searchParams.has('_rsc'),
    async (route) => {
      await gate.promise;
      await route.continue();
    },
  );
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Models' }).click();
  release();
  await expect(page.locator('article:focus')).toBeVisible();
  gate.resolve();
  await expect(page).toHaveURL('/models');
});

test('a page whose code is gone since an update is reloaded, once by itself', async ({
  page,
  loupe,
  ollama,
  guard,
}) => {
  guard.expectTrouble(/^console: ChunkLoadError/);
  ollama.add({ name: 'updated', steps: [done] });
  const { id } = await startRun(loupe, { task: 'Outlive an update', model: 'updated' });
  const scripts = '**/_next/static/chunks/*.js';
  const withdrawScripts = () => page.route(scripts, (route) => route.fulfill({ status: 404, body: '' }));
  const reloads: string[] = [];
  page.on('request', (request) => {
    if (!request.isNavigationRequest()) return;
    reloads.push(new URL(request.url()).pathname);
  });
  const openRun = () => page.getByRole('link', { name: /Outlive an update/ }).click();
  await page.goto('/');
  await expect(page.getByRole('link', { name: /Outlive an update/ })).toBeVisible();
  reloads.length = 0;

  await withdrawScripts();
  // The server has the new files, so the reloaded page finds them.
  await page.route(`/runs/${id}`, async (route) => {
    await page.unroute(scripts);
    await route.continue();
  });
  await openRun();
  await expect(new RunView(page).end).toBeVisible();
  expect(reloads).toEqual([`/runs/${id}`]);

  await page.goto('/');
  reloads.length = 0;
  await withdrawScripts();
  await openRun();
  await expect(page.getByRole('heading', { name: 'This page needs a reload' })).toBeVisible();
  await expectAccessible(page);
  expect(reloads).toEqual([]);
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(new RunView(page).end).toBeVisible();
});
