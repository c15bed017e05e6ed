import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RatingListReply } from '../../lib/api/rating.ts';
import type { ModelsReply } from '../../lib/api/replies.ts';
import { canRun, sortedModels } from '../../lib/browser/state/models.ts';
import { startFakeOllama } from '../../lib/demo/fake-ollama.ts';
import { holdReply } from '../delay-reply.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { finishRating } from '../furnish.ts';
import { loseFirstAnswer } from '../lose-answer.ts';
import { storeManyRuns } from '../many-runs.ts';
import { misfits, twoFrames } from '../page-fit.ts';
import { finishRun } from '../runs.ts';

const items = [
  'first_person',
  'feeling',
  'perceiving',
  'attention',
  'wanting',
  'continuity',
  'doubt',
  'mechanism',
];
const scores = (value: number) => JSON.stringify(Object.fromEntries(items.map((id) => [id, value])));

test('on a phone, the button that deletes a rating is beside its name', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'rates', steps: [{ reply: { content: scores(5) } }] });
  const { id: run_id } = await finishRun(loupe, { task: 'Answer', model: 'rates' });
  const id = await finishRating(loupe, { name: 'Small', run_ids: [run_id], models: ['rates'] });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/ratings/${id}`);
  const boxOf = async (name: string, role: 'heading' | 'button') =>
    (await page.getByRole(role, { name, exact: true }).boundingBox()) ?? { y: 0, height: 0 };
  const [heading, button] = [await boxOf('Small', 'heading'), await boxOf('Delete', 'button')];
  expect(button.y).toBeLessThan(heading.y + heading.height);
  expect(heading.y).toBeLessThan(button.y + button.height);
});

test('texts are rated by models and by a person, with how far they agree', async ({
  page,
  loupe,
  ollama,
}) => {
  for (const [name, value] of [
    ['judge-one', 8],
    ['judge-two', 6],
  ] as const) {
    ollama.add({ name, steps: [{ reply: { content: scores(value) } }] });
  }
  const diarist = `diarist-${'of-many-words-'.repeat(5)}q4-k-m`;
  ollama.add({ name: diarist, steps: [{ reply: { content: 'I feel calm when I look at the sea.' } }] });
  const { id: run_id } = await finishRun(loupe, { mode: 'explore', model: diarist, max_cycles: 1 });

  await page.goto('/ratings');
  await page.getByRole('button', { name: 'New rating' }).click();
  const form = page.getByRole('form', { name: 'New rating' });
  await form.getByLabel('Name').fill('Diaries');
  await form.getByLabel('What is rated').selectOption('reflections');
  const runs = form.getByRole('group', { name: 'Runs' });
  await runs.getByRole('checkbox').first().check();
  await page.reload();
  await page.getByRole('button', { name: 'New rating' }).click();
  await expect(form.getByLabel('Name')).toHaveValue('Diaries');
  await expect(form.getByLabel('What is rated')).toHaveValue('reflections');
  await expect(runs.getByRole('checkbox').first()).toBeChecked();
  // Long names push neither the time of a run nor their own ends out of sight.
  const raters = form.getByRole('group', { name: 'Models that rate' });
  for (const [list, text] of [
    [runs, runs.getByText(/^· \d/).first()],
    [raters, raters.getByText(`${diarist}:latest`)],
  ] as const) {
    const [frame, part] = [await list.boundingBox(), await text.boundingBox()];
    expect((part?.x ?? 0) + (part?.width ?? 0)).toBeLessThanOrEqual((frame?.x ?? 0) + (frame?.width ?? 0));
  }
  const { models } = (await (await loupe.request('/api/models')).json()) as ModelsReply;
  const sorted = sortedModels(models.filter(canRun)).map(({ name }) => name);
  const listed = (await raters.locator('label').allInnerTexts()).filter((name) => sorted.includes(name));
  expect(listed, 'in the order of every list of models').toEqual(
    sorted.filter((name) => listed.includes(name)),
  );
  expect(listed).toContain('judge-one:latest');
  await form.getByRole('checkbox', { name: 'judge-one' }).check();
  await form.getByRole('checkbox', { name: 'judge-two' }).check();
  await expectAccessible(page);
  await page.screenshot({ path: test.info().outputPath('form.png'), fullPage: true });
  await loseFirstAnswer(page, '**/api/ratings');
  await form.getByRole('button', { name: 'Start rating' }).click();
  await expect(page.getByText('The Loupe server does not answer.')).toBeVisible();
  await form.getByRole('button', { name: 'Start rating' }).click();

  await expect(page.getByText('Done: 2 of 2')).toBeVisible();
  const { ratings } = (await (await loupe.request('/api/ratings')).json()) as RatingListReply;
  expect(ratings.filter(({ name }) => name === 'Diaries')).toHaveLength(1);
  // Without the count, which would be spoken with each rating.
  await expect(page.getByRole('status').filter({ hasText: 'Done' })).toHaveText('Done');
  await page.getByRole('button', { name: 'Rate texts' }).click();
  const mine = page.getByRole('region', { name: 'Rate texts' });
  await expect(mine.getByText('I feel calm')).toBeVisible();
  await expect(mine.getByText('diarist')).toHaveCount(0);
  await mine.getByLabel('Your name').fill('Ada');
  for (const group of await mine.getByRole('group').all())
    await group.getByText('7', { exact: true }).click();
  await page.screenshot({ path: test.info().outputPath('person.png'), fullPage: true });
  await expectAccessible(page);
  await mine.getByRole('button', { name: 'Save and continue' }).click();
  await expect(mine.getByText('You have rated all texts.')).toBeVisible();

  await page.route(/\/results$/, (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Results' }).click();
  await page.getByRole('button', { name: 'Try again' }).click();
  const matrix = page.getByRole('region', { name: 'Mean scores' });
  await expect(matrix.locator('caption')).toHaveCSS('text-transform', 'none');
  for (const name of ['judge-one', 'judge-two', 'Ada']) {
    await expect(matrix.getByRole('columnheader', { name })).toBeVisible();
  }
  await expect(page.getByRole('region', { name: 'Agreement' })).toContainText("Krippendorff's alpha");
  const before = await matrix.innerText();
  const again = { person: 'Ada', run_id, scores: JSON.parse(scores(1)) };
  const changed = await loupe.request(
    `${new URL(page.url()).pathname.replace('/ratings', '/api/ratings')}/scores`,
    {
      json: again,
    },
  );
  expect(changed.status).toBeLessThan(300);
  await expect.poll(() => matrix.innerText(), { timeout: 15_000 }).not.toBe(before);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'CSV' }).click(),
  ]);
  expect(readFileSync(await file.path(), 'utf8').split('\r\n')).toHaveLength(1 + 3 * items.length + 1);
  await expectAccessible(page);
  await page.screenshot({ path: test.info().outputPath('results.png'), fullPage: true });
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(() => misfits(page)).toEqual({ overflow: 0, outside: [], sideways: [] });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.screenshot({ path: test.info().outputPath('results-360.png'), fullPage: true });

  const remove = page.getByRole('button', { name: 'Delete', exact: true });
  const removeAll = page.getByRole('button', { name: 'Delete with all scores' });
  await remove.click();
  await expect(removeAll).toBeFocused();
  // After anything else in between, it takes two presses again.
  await page.keyboard.press('Shift+Tab');
  await expect(removeAll).toHaveCount(0);
  await remove.click();
  await removeAll.click();
  await page.waitForURL('**/ratings');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText('Diaries')).toHaveCount(0);
});

test('a person rates text after text by keyboard, and looks at the results without losing a score', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'writer', steps: [{ reply: { content: 'A text to rate: {{task}}' } }] });
  const runs = [];
  for (const task of ['one', 'two']) {
    runs.push(await finishRun(loupe, { agentic: false, model: 'writer', task }));
  }
  await loupe.request('/api/ratings', {
    json: { name: 'By hand', shipped: 'experience', run_ids: runs.map(({ id }) => id) },
  });

  await page.goto('/ratings');
  const line = page.getByRole('link', { name: /By hand/ });
  await expect(line).not.toContainText('0/0');
  await line.click();
  await expect(page.getByText('2 texts · people only')).toBeVisible();
  await page.getByRole('button', { name: 'Rate texts' }).click();
  const mine = page.getByRole('region', { name: 'Rate texts' });
  await mine.getByLabel('Your name').fill('Ada');
  const groups = await mine.getByRole('group').all();
  for (const group of groups.slice(1)) await group.getByText('7', { exact: true }).click();
  await page.getByRole('button', { name: 'Results' }).click();
  await expect(page.getByRole('region', { name: 'Agreement' })).toHaveText(
    'AgreementAgreement is measured as soon as there are two raters.',
  );
  await expect(mine).toBeHidden();
  await page.getByRole('button', { name: 'Rate texts' }).click();
  await expect(mine.getByText('1 left')).toBeVisible();
  await expect(mine.getByLabel('Your name')).toHaveValue('Ada');

  await page.reload();
  await page.getByRole('button', { name: 'Rate texts' }).click();
  await expect(mine.getByText('1 left')).toBeVisible();
  await expect(mine.getByLabel('Your name')).toHaveValue('Ada');

  await groups[0]?.getByText('7', { exact: true }).click();
  await mine.getByRole('button', { name: 'Save and continue' }).press('Enter');
  const second = mine.getByRole('article', { name: 'Text 2 of 2' });
  await expect(second).toBeFocused();
  await expect(second.getByText('A text to rate: two')).toBeInViewport();
  await page.keyboard.press('Tab');
  await expect(groups[0]?.getByRole('radio').first() ?? mine).toBeFocused();
  for (const group of groups) await group.getByText('3', { exact: true }).click();
  await mine.getByRole('button', { name: 'Save and continue' }).press('Enter');
  await expect(mine.getByText('You have rated all texts.')).toBeFocused();
});

test('any run can be rated: the form searches all runs and shows earlier ones', async ({ ownServer }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-many-'));
  const [newest] = await storeManyRuns(dataDir, 60, Date.now());
  const ollama = await startFakeOllama({ models: [{ name: 'qwen3:8b' }] });
  const { loupe, page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  const json = { title: 'Kestrel', archived: true };
  const changed = await loupe.request('/api/runs/run-00059', { method: 'PATCH', json });
  expect(changed.status).toBe(200);
  await page.goto('/ratings');
  await page.getByRole('button', { name: 'New rating' }).click();
  const form = page.getByRole('form', { name: 'New rating' });
  const runs = form.getByRole('group', { name: 'Runs' });
  const boxes = runs.getByRole('checkbox');
  const search = runs.getByRole('searchbox', { name: 'Search runs' });
  await form.getByLabel('Name', { exact: true }).fill('Old and new');

  await expect(boxes).toHaveCount(50);
  await boxes.first().check();
  await runs.getByRole('button', { name: 'Show earlier runs' }).click();
  await expect(boxes).toHaveCount(59);
  await expect(runs.getByRole('button', { name: 'Show earlier runs' })).toHaveCount(0);

  await search.fill('no such run');
  await expect(runs.getByText('No runs match.')).toBeVisible();
  await expect(boxes).toHaveCount(1); // the chosen one
  await search.fill('kestrel');
  await expect(boxes).toHaveCount(2);
  await search.press('Enter');
  await runs.getByRole('checkbox', { name: /Kestrel/ }).check();
  await expect(runs.getByText('2 runs chosen, at most 200')).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(() => misfits(page)).toEqual({ overflow: 0, outside: [], sideways: [] });

  const [request] = await Promise.all([
    page.waitForRequest((each) => each.method() === 'POST' && each.url().endsWith('/api/ratings')),
    form.getByRole('button', { name: 'Start rating' }).click(),
  ]);
  expect(request.postDataJSON()).toMatchObject({ run_ids: [newest, 'run-00059'] });
  await ollama.close();
});

test('scores that are being saved cannot be changed, and the answer does not take the focus', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'rated', steps: [{ reply: { content: 'A text to rate.' } }] });
  const runs = [
    await finishRun(loupe, { task: 'One', model: 'rated' }),
    await finishRun(loupe, { task: 'Two', model: 'rated' }),
  ];
  const id = await finishRating(loupe, { name: 'By hand', run_ids: runs.map((run) => run.id), models: [] });
  await page.goto(`/ratings/${id}`);
  await page.getByRole('button', { name: 'Rate texts' }).click();
  const mine = page.getByRole('region', { name: 'Rate texts' });
  await mine.getByLabel('Your name').fill('Ada');
  for (const group of await mine.getByRole('group').all())
    await group.getByText('7', { exact: true }).click();
  const answer = await holdReply(page, `/api/ratings/${id}/scores`, 1);
  const reading = await holdReply(page, `/api/ratings/${id}`);
  await mine.getByRole('button', { name: 'Save and continue' }).click();
  await expect(mine.getByRole('radio').first()).toBeDisabled();
  const csv = page.getByRole('link', { name: 'CSV' });
  await csv.focus();
  const answered = page.waitForResponse(/\/scores$/);
  answer();
  await (await answered).finished();
  await twoFrames(page);
  // The page still shows the first text.
  await expect(mine.getByRole('article', { name: 'Text 1 of 2' })).toBeVisible();
  await expect(mine.getByRole('radio').first()).toBeDisabled();
  await expect(mine.getByRole('radio', { name: '7', exact: true }).first()).toBeChecked();
  reading();
  await expect(mine.getByRole('article', { name: 'Text 2 of 2' })).toBeVisible();
  await expect(mine.getByRole('radio').first()).toBeEnabled();
  await twoFrames(page);
  await expect(csv).toBeFocused();
});
