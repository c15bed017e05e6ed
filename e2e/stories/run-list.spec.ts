import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Request } from '@playwright/test';
import type { RunListReply } from '../../lib/api/replies.ts';
import { startFakeOllama } from '../../lib/demo/fake-ollama.ts';
import { holdReply } from '../delay-reply.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { finishExperiment } from '../furnish.ts';
import { storeManyRuns } from '../many-runs.ts';
import { twoFrames } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { endOf, finishRun, startRun, summaryOf } from '../runs.ts';

test('the run list updates live as runs are created, queued, active and ended [D3]', async ({
  page,
  loupe,
  ollama,
}) => {
  const listed = (name: string, task: string) => ({
    name,
    model: 'listed',
    match: task,
    steps: [
      { reply: { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] } },
      { reply: { content: 'The task is completed.' } },
    ],
  });
  ollama.add(listed('listed-first', 'The first of two'));
  ollama.add(listed('listed-second', 'The second of two'));
  const releaseFirst = ollama.hold('listed-first', { turn: 1 });
  const releaseSecond = ollama.hold('listed-second', { turn: 0 });
  await page.goto('/');
  await expect(page.getByRole('form', { name: 'Quick run' })).toBeVisible();
  const first = await startRun(loupe, { task: 'The first of two', model: 'listed' });
  const second = await startRun(loupe, { task: 'The second of two', model: 'listed' });
  const atWork = page.getByRole('region', { name: 'Active', exact: true });
  const earlier = page.getByRole('region', { name: /Earlier|Runs/ });
  await expect(
    atWork.getByRole('link', { name: /The first of two.*1 tool call.*Calling the model/ }),
  ).toBeVisible();
  await expect(
    atWork.getByRole('link', { name: /The second of two.*Position 1 in the queue/ }),
  ).toBeVisible();
  releaseFirst();
  await endOf(loupe, first.id);
  await expect(earlier.getByRole('link', { name: /The first of two.*1 tool call.*Answered/ })).toBeVisible();
  await expect(atWork.getByRole('link', { name: /The second of two.*Calling the model/ })).toBeVisible();
  releaseSecond();
  await endOf(loupe, second.id);
  await expect(atWork).toBeHidden();
  await earlier.getByRole('link', { name: /The second of two/ }).click();
  await expect(page).toHaveURL(new RegExp(second.id));
  await new RunView(page).expectEnd('The model answered', 'final_answer');
  await page.goBack();
  await expect(earlier.getByRole('link', { name: /The second of two/ })).toBeVisible();
});

test('the duration of a run stands still in the list while it waits for a person', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'asks',
    steps: [
      { reply: { tool_calls: [{ name: 'write_file', arguments: { path: 'a.md', content: 'x' } }] } },
      { reply: { content: 'The task is completed.' } },
    ],
  });
  const { id } = await startRun(loupe, { task: 'Write it', model: 'asks', approval: { default: 'ask' } });
  await page.clock.install();
  await page.goto('/');
  const row = page.getByRole('link', { name: /Write it.*Waiting for you/ });
  await expect(row).toContainText('0:00');
  await expect(page.getByRole('button', { name: 'Sort by duration' })).toHaveAttribute(
    'title',
    /How long the run worked/,
  );
  const { worked_ms } = await summaryOf(loupe, id);
  await page.clock.fastForward(30 * 60_000);
  await expect(row).toContainText(/3\d min ago/);
  await expect(row).toContainText('0:00');
  expect((await summaryOf(loupe, id)).worked_ms).toBe(worked_ms);
});

test('a deleted run disappears from the lists of all tabs, and its open pages say so', async ({
  page,
  context,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'to-delete',
    model: 'to-delete',
    steps: [{ reply: { content: 'The task is completed.' } }],
  });
  const here = await finishRun(loupe, { task: 'Deleted in a tab', model: 'to-delete' });
  const elsewhere = await finishRun(loupe, { task: 'Deleted from a terminal', model: 'to-delete' });
  const list = await context.newPage();
  const other = await context.newPage();
  await list.goto('/');
  await other.goto(`/runs/${here.id}`);
  await page.goto(`/runs/${here.id}`);
  const view = new RunView(page);
  await view.expectEnd('The model answered', 'final_answer');
  await new RunView(other).expectEnd('The model answered', 'final_answer');
  await expect(list.getByRole('link', { name: /Deleted in a tab/ })).toBeVisible();

  await test.step('in one of the tabs', async () => {
    await page.getByRole('button', { name: 'Delete this run' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByRole('form', { name: 'Quick run' })).toBeVisible();
    await expect(page.getByRole('link', { name: /Deleted in a tab/ })).toHaveCount(0);
    await expect(list.getByRole('link', { name: /Deleted in a tab/ })).toHaveCount(0);
    await expect(other.getByRole('heading', { name: 'This run was deleted.' })).toBeVisible();
    await expect(other).toHaveTitle('This run was deleted · Loupe');
    await expectAccessible(other);
    await other.getByRole('link', { name: 'All runs' }).click();
    await expect(other.getByRole('link', { name: /Deleted from a terminal/ })).toBeVisible();
  });

  await test.step('outside of the browser', async () => {
    await page.goto(`/runs/${elsewhere.id}`);
    await expect(view.connection('Complete')).toBeVisible();
    const gone = await loupe.request(`/api/runs/${elsewhere.id}`, { method: 'DELETE', json: {} });
    expect(gone.status).toBe(200);
    await expect(page.getByRole('heading', { name: 'This run was deleted.' })).toBeVisible();
    await expect(list.getByRole('link', { name: /Deleted from a terminal/ })).toHaveCount(0);
    await expect(other.getByRole('link', { name: /Deleted from a terminal/ })).toHaveCount(0);
  });
});

test('a run that is deleted while no tab has the stream disappears from the list', async ({
  page,
  context,
  loupe,
  ollama,
}) => {
  // Without shared workers, the first tab has the stream of all.
  await context.addInitScript(() => {
    Reflect.deleteProperty(window, 'SharedWorker');
  });
  ollama.add({ name: 'between', steps: [{ reply: { content: 'The task is completed.' } }] });
  const { id } = await finishRun(loupe, { task: 'Deleted in between', model: 'between' });
  const first = await context.newPage();
  await first.goto('/');
  await expect(first.getByRole('link', { name: /Deleted in between/ })).toBeVisible();
  await page.goto('/');
  await finishRun(loupe, { task: 'Seen by both', model: 'between' });
  await expect(page.getByRole('link', { name: /Seen by both.*Answered/ })).toBeVisible();

  const { promise: gone, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/api\/stream/, async (route) => {
    await gone;
    await route.continue();
  });
  const asked = page.waitForRequest(/\/api\/stream/);
  await first.close();
  await asked;
  const deleted = await loupe.request(`/api/runs/${id}`, { method: 'DELETE', json: {} });
  expect(deleted.status).toBe(200);
  release();
  await expect(page.getByRole('link', { name: /Deleted in between/ })).toHaveCount(0);
  await expect(page.getByRole('link', { name: /Seen by both/ })).toBeVisible();
});

test('a session shows its turns in the list after its end as before, at every width', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'talks', steps: [{ reply: { content: 'Good morning.' } }] });
  const { id } = await startRun(loupe, { mode: 'session', task: 'Hello there', model: 'talks' });
  await page.goto('/');
  const row = page.getByRole('link', { name: /Hello there/ });
  await expect(row).toContainText('Waiting for you');
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 740 });
    await expect(row.getByText('1 turn', { exact: true }).filter({ visible: true })).toHaveCount(1);
  }
  await loupe.request(`/api/runs/${id}/stop`, { json: {} });
  await expect(row).not.toContainText('Waiting for you');
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 740 });
    await expect(row.getByText('1 turn', { exact: true }).filter({ visible: true })).toHaveCount(1);
  }
});

test('the health page does not call runs active that the list calls otherwise', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'talks', steps: [{ reply: { content: 'Good morning.' } }] });
  await startRun(loupe, { mode: 'session', task: 'Hello there', model: 'talks' });
  await page.goto('/');
  await expect(page.getByRole('link', { name: /Hello there.*Waiting for you/ })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Active' })).toBeVisible();
  await page.goto('/health');
  await expect(page.getByText('0 runs using a model server, 0 queued')).toBeVisible();
});

test('earlier runs are loaded on demand, each once [D3]', async ({ ownServer }) => {
  const ollama = await startFakeOllama({
    scenarios: [{ name: 'many', steps: [{ reply: { content: 'The task is completed.' } }] }],
  });
  const { loupe, page } = await ownServer({ ollamaUrl: ollama.url });
  for (let index = 1; index <= 55; index += 1)
    await startRun(loupe, { task: `Task ${index}.`, model: 'many' });
  await expect
    .poll(
      async () =>
        ((await (await loupe.request('/api/health')).json()) as { runs: { active: number; queued: number } })
          .runs,
      { timeout: 120_000 },
    )
    .toEqual({ active: 0, queued: 0 });
  await page.goto('/');
  const lines = page.getByRole('region', { name: 'Runs', exact: true }).getByRole('listitem');
  await expect(lines).toHaveCount(50);
  await expect(lines.first()).toContainText('Task 55.');
  await page.route(/[?&]before=/, (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Show earlier runs' }).click();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(lines).toHaveCount(55);
  await expect(lines.last()).toContainText('Task 1.');
  await expect(page.getByRole('button', { name: 'Show earlier runs' })).toBeHidden();
  await page.reload();
  await page.route(/[?&]before=/, (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Show earlier runs' }).click();
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
  await page.getByRole('link', { name: 'Archived runs' }).click();
  await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden();
  await page.goBack();
  await page.getByRole('button', { name: 'Show earlier runs' }).press('Enter');
  await expect(lines).toHaveCount(55);
  await expect(lines.nth(50).locator(':focus')).toHaveCount(1);
  await ollama.close();
});

test('earlier runs that come after the filter has changed do not replace those of the new filter', async ({
  ollama,
  ownServer,
}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-data-'));
  await storeManyRuns(dataDir, 300, Date.now());
  const { page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  await page.goto('/');
  const list = page.getByRole('region', { name: 'Runs', exact: true });
  const more = page.getByRole('button', { name: 'Show earlier runs' });
  const release = await holdReply(page, /[?&]before=/, 1);
  await more.click();
  await page.getByLabel('Filter by model').selectOption('qwen3:8b');
  await expect(list.getByText('llama3.1', { exact: false })).toHaveCount(0);
  const lines = list.getByRole('listitem');
  await expect(lines).toHaveCount(50);
  await more.click();
  await expect(lines).toHaveCount(100);
  const late = page.waitForResponse((response) => /[?&]before=/.test(response.url()));
  release();
  await (await late).finished();
  await twoFrames(page);
  await expect(lines).toHaveCount(100);
});

test('figures of a family that come after the filter has changed do not replace those of the new filter', async ({
  page,
  loupe,
  ollama,
}) => {
  for (const name of ['first-of-two', 'second-of-two'])
    ollama.add({ name, steps: [{ reply: { content: 'Yes.' } }] });
  await finishExperiment(loupe, {
    ...{ name: 'Filtered family', mode: 'prompt', task: 'Say it.', repeats: 3 },
    models: ['first-of-two', 'second-of-two'],
  });
  const query = '/api/runs?model=first-of-two';
  const [one, other] = ((await (await loupe.request(query)).json()) as RunListReply).runs;
  await page.goto('/');
  const family = page.getByRole('listitem').filter({ hasText: 'Filtered family' });
  await expect(family).toContainText('6 answered');
  const release = await holdReply(page, /[?&]family=/, 1);
  const asked = page.waitForRequest(/[?&]family=/);
  await loupe.request(`/api/runs/${one?.id}`, { method: 'DELETE', json: {} });
  await asked;
  await page.getByLabel('Filter by model').selectOption('first-of-two:latest');
  await expect(family).toContainText('2 answered');
  await loupe.request(`/api/runs/${other?.id}`, { method: 'DELETE', json: {} });
  await expect(family).toContainText('1 answered');
  const late = page.waitForResponse((response) => /[?&]family=/.test(response.url()));
  release();
  await (await late).finished();
  await twoFrames(page);
  await expect(family).toContainText('1 answered');
});

test('a family whose runs come after the selection was cleared is not selected', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'of-a-family', steps: [{ reply: { content: 'Yes.' } }] });
  await finishExperiment(loupe, {
    ...{ name: 'Late family', mode: 'prompt', task: 'Say it.', repeats: 2 },
    models: ['of-a-family'],
  });
  const single = await finishRun(loupe, { task: 'On its own', model: 'of-a-family' });
  await page.goto('/');
  const bar = page.getByRole('region', { name: 'Selected runs' });
  const family = page.getByRole('checkbox', { name: 'Select 2 runs: Late family' });
  const clearBeforeAnswer = async (clear: () => Promise<void>) => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const end = (request: Request) => /[?&]family=/.test(request.url()) && resolve();
    page.on('requestfinished', end);
    page.on('requestfailed', end);
    const release = await holdReply(page, /[?&]family=/, 1);
    await family.click();
    await clear();
    release();
    await ended;
    await twoFrames(page);
    await expect(bar).toBeHidden();
  };

  await page.getByRole('checkbox', { name: `Select: ${single.title}` }).click();
  await clearBeforeAnswer(() => bar.getByRole('button', { name: 'Clear the selection' }).click());
  await clearBeforeAnswer(() => page.keyboard.press('Escape'));

  await family.click();
  await expect(bar).toContainText('2 selected');
});

test('a run that is deleted while its family is being selected is not selected', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'of-two', steps: [{ reply: { content: 'Yes.' } }] });
  await finishExperiment(loupe, {
    ...{ name: 'Shrinking family', mode: 'prompt', task: 'Say it.', repeats: 2 },
    models: ['of-two'],
  });
  const [one] = ((await (await loupe.request('/api/runs?model=of-two')).json()) as RunListReply).runs;
  await page.goto('/');
  const family = page.getByRole('checkbox', { name: /Shrinking family$/ });
  await expect(family).toHaveAccessibleName('Select 2 runs: Shrinking family');
  const { promise: isDeleted, resolve: deliver } = Promise.withResolvers<void>();
  const { promise: isAnswered, resolve: answered } = Promise.withResolvers<void>();
  await page.route(
    /[?&]family=.*limit=/,
    async (route) => {
      const response = await route.fetch();
      answered();
      await isDeleted;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await family.click();
  await isAnswered;
  await loupe.request(`/api/runs/${one?.id}`, { method: 'DELETE', json: {} });
  await expect(page.getByRole('checkbox', { name: 'Select 2 runs: Shrinking family' })).toBeHidden();
  deliver();
  await expect(page.getByRole('region', { name: 'Selected runs' })).toContainText('1 selected');
});

test('after the filter has changed, the list waits for the pinned runs that come first', async ({
  ownServer,
}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-pinned-'));
  await storeManyRuns(dataDir, 60, Date.now());
  const ollama = await startFakeOllama({ models: [{ name: 'qwen3:8b' }] });
  const { page, loupe } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  // Neither is among the newest runs, which every page gets from the stream.
  const [pinned, other] = ['run-00057', 'run-00051'];
  await loupe.request('/api/selection/annotate', { json: { runs: [pinned], pinned: true } });
  // This page has not loaded the list without a filter.
  await page.goto('/?text=no+run+has+these+words');
  await expect(page.getByText('No titles match.')).toBeVisible();
  const list = page.getByRole('region', { name: 'Runs', exact: true });
  const linkTo = (id: string) => list.locator(`a[href="/runs/${id}"]`);
  const release = await holdReply(page, /\/api\/runs\?.*pinned=1/);
  const others = page.waitForResponse((response) => /\/api\/runs\?.*pinned=0/.test(response.url()));
  await page.getByRole('searchbox', { name: 'Search all runs' }).fill('');
  await (await others).finished();
  for (let frames = 0; frames < 30; frames += 2) await twoFrames(page);
  await expect(linkTo(other)).toHaveCount(0);
  release();
  await expect(linkTo(pinned)).toBeVisible();
  await expect(linkTo(other)).toBeVisible();
  await ollama.close();
});

test('each outcome has its label in the list [D8]', async ({ page, loupe, ollama }) => {
  ollama.add({
    name: 'loops',
    steps: [{ reply: { tool_calls: [{ name: 'list_directory', arguments: {} }] } }],
  });
  ollama.add({ name: 'answers', steps: [{ reply: { content: 'The task is completed.' } }] });
  await finishRun(loupe, { task: 'Loop for me', model: 'loops' });
  await finishRun(loupe, {
    task: 'Check me',
    model: 'answers',
    checks: [{ type: 'file_exists', path: 'never.md' }],
    max_attempts: 1,
  });
  ollama.add({ name: 'cut', steps: [{ reply: { content: 'tick tock', done_reason: 'length' } }] });
  ollama.add({ name: 'plans', steps: [{ reply: { content: 'I will read the reports first.' } }] });
  await finishRun(loupe, { task: 'Write on', model: 'cut' });
  await finishRun(loupe, { task: 'Plan only', model: 'plans' });
  await page.goto('/');
  await expect(page.getByRole('link', { name: /Loop for me.*Repeated itself/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /Check me.*Answered, 1 of 1 check failed/ })).toBeVisible();
  const cut = page.getByRole('link', { name: /Write on.*Answered, cut off/ });
  const plan = page.getByRole('link', { name: /Plan only.*Announced work, did none/ });
  await expect(cut).toBeVisible();
  await expect(plan).toBeVisible();
  await page.getByLabel('Filter by state').selectOption('Announced work, did none');
  await expect(cut).toBeHidden();
  await expect(plan).toBeVisible();
});
