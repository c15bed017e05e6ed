import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeOllama } from '../../lib/demo/fake-ollama.ts';
import { holdChange, holdReply } from '../delay-reply.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { storeManyRuns } from '../many-runs.ts';
import { twoFrames } from '../page-fit.ts';
import { finishRun } from '../runs.ts';

test('runs are found by tag, folder and date, sorted, grouped, selected, archived and deleted with undo', async ({
  ownServer,
}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-many-'));
  await storeManyRuns(dataDir, 60, Date.now());
  const ollama = await startFakeOllama({ models: [{ name: 'qwen3:8b' }] });
  const { loupe, page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  const other = await page.context().newPage();
  await other.goto('/');
  await page.goto('/');
  const list = page.getByRole('region', { name: 'Runs', exact: true });
  const pinned = page.getByRole('region', { name: 'Pinned', exact: true });
  const bar = page.getByRole('region', { name: 'Selected runs' });
  const boxes = list.getByRole('checkbox', { name: /^Select: / });

  await test.step('pinned runs come first, the others by date', async () => {
    await expect(pinned.getByRole('link', { name: /The answer to show in the talk/ })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Today', exact: true })).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('without columns, the box that selects all says so', async () => {
    const size = page.viewportSize();
    const caption = list.getByText('Select all', { exact: true });
    await expect(caption).toBeHidden();
    await page.setViewportSize({ width: 360, height: 740 });
    await caption.click();
    await expect(list.getByRole('checkbox', { name: 'Select all shown runs' })).toBeChecked();
    await caption.click();
    await expect(bar).toBeHidden();
    await page.setViewportSize(size ?? { width: 1280, height: 860 });
  });

  await test.step('a fork and its original are one row that unfolds', async () => {
    const family = list.getByRole('button', { name: /^2 runs of/ }).first();
    await expect(family).toHaveAttribute('aria-expanded', 'false');
    const before = await boxes.count();
    await family.click();
    await expect(boxes).toHaveCount(before + 2);
    await family.click();
    await expect(boxes).toHaveCount(before);
  });

  await test.step('filters combine and stay in the address', async () => {
    await page.getByLabel('Filter by tag').selectOption('baseline');
    await expect(page).toHaveURL(/tag=baseline/);
    await page.getByLabel('Filter by folder').selectOption({ index: 1 });
    await expect(page).toHaveURL(/tag=baseline&folder=/);
    await page.getByLabel('Filter by date').selectOption({ label: 'Today' });
    await expect(page).toHaveURL(/since=\d{4}-\d{2}-\d{2}/);
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await expect(page).not.toHaveURL(/tag=/);
  });

  await test.step('columns sort on the server, in either direction', async () => {
    await page.getByRole('button', { name: 'Sort by score' }).click();
    await expect(page).toHaveURL(/sort=score/);
    const all = page.getByRole('region', { name: 'All runs' });
    await expect(all.getByRole('link').first()).toContainText('score 10');
    await page.getByRole('button', { name: 'Sort by score (now descending)' }).click();
    await expect(page).toHaveURL(/direction=asc/);
    await page.getByRole('button', { name: 'Sort by started' }).click();
    await expect(page).not.toHaveURL(/sort=/);
  });

  await test.step('Shift takes the rows between, arrow keys move, Escape clears', async () => {
    await boxes.nth(1).click();
    await boxes.nth(3).click({ modifiers: ['Shift'] });
    await expect(bar).toContainText('3 selected');
    await expect(bar.getByRole('link', { name: 'Compare' })).toHaveAttribute('href', /a=.+&b=.+&c=.+/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Space');
    await expect(bar).toContainText('2 selected');
    await expect(bar.getByRole('link', { name: 'Compare' })).toHaveAttribute('href', /a=.+&b=.+/);
    await expectAccessible(page);
  });

  await test.step('Escape in a dialog leaves the selection as it is', async () => {
    await bar.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(bar).toContainText('2 selected');
  });

  await test.step('tags show in all tabs', async () => {
    await bar.getByRole('button', { name: 'Tag', exact: true }).click();
    const tags = page.getByLabel('Add tags');
    await tags.fill('sto');
    // Part of an IME composition, as in Japanese: the word continues.
    await tags.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    await expect(tags).toHaveValue('sto');
    await tags.fill('story,');
    // Entries are kept if they cannot be saved.
    await page.route('**/api/selection/annotate', (route) => route.abort(), { times: 1 });
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Save' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(list.getByText('story', { exact: true })).toHaveCount(2);
    await expect(other.getByText('story', { exact: true })).toHaveCount(2);
  });

  await test.step('deleted runs vanish at once, and come back', async () => {
    await bar.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('checkbox', { name: 'Select all shown runs' })).toBeFocused();
    await expect(list.getByText('story', { exact: true })).toHaveCount(0);
    await expect(other.getByText('story', { exact: true })).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(list.getByRole('link').and(page.locator(':focus'))).toBeVisible();
    await expect(list.getByText('story', { exact: true })).toHaveCount(2);
    await expect(other.getByText('story', { exact: true })).toHaveCount(2);
  });

  await test.step('Undo of a run that the filter leaves out keeps the focus on the page', async () => {
    const search = page.getByPlaceholder('Search titles, replies');
    await boxes.nth(1).click();
    await bar.getByRole('button', { name: 'Delete' }).click();
    await search.fill('no run has these words');
    await expect(boxes).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('main').locator(':focus')).toBeVisible();
    await search.fill('');
    await expect(list.getByText('story', { exact: true })).toHaveCount(2);
  });

  await test.step('several runs are exported as one file', async () => {
    await boxes.nth(1).click();
    const download = page.waitForEvent('download');
    await bar.getByRole('button', { name: 'Export' }).click();
    expect((await download).suggestedFilename()).toBe('loupe-runs.zip');
  });

  await test.step('archived runs are shown when asked for', async () => {
    await bar.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Archived runs' }).click();
    await expect(boxes).toHaveCount(1);
    await expect(list.getByText('archived', { exact: true })).toBeVisible();
  });

  await test.step('the page of a run edits its title, score and note', async () => {
    await page.goto('/runs/run-00001');
    await page.getByRole('button', { name: 'Rename this run' }).click();
    await page.getByLabel('Title').fill('Renamed in place');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'Renamed in place' })).toBeVisible();
    const rename = page.getByRole('button', { name: 'Rename this run' });
    await expect(rename).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByLabel('Title')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(rename).toBeFocused();
    await page.getByRole('button', { name: 'Good', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Good', exact: true })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    await page.getByRole('button', { name: 'Edit details' }).click();
    await page.getByLabel('Note').fill('Seen <b>twice</b>');
    await page.getByLabel('Note').press('.');
    await page.keyboard.press('Escape');
    await expect(page.getByLabel('Note')).toHaveValue('Seen <b>twice</b>.');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByText('Seen <b>twice</b>.')).toBeVisible();
    await expect(other.getByRole('link', { name: /Renamed in place/ })).toBeVisible();
    const reply = await (await loupe.request('/api/runs/run-00001')).json();
    expect(reply.run.annotations).toMatchObject({ title: 'Renamed in place', score: 10 });
  });
  await ollama.close();
});

test('a deletion and its undoing do not take the focus from where the reader has moved it', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'deleted-late', steps: [{ reply: { content: 'The task is completed.' } }] });
  await finishRun(loupe, { task: 'Delete me', model: 'deleted-late' });
  await finishRun(loupe, { task: 'Keep me', model: 'deleted-late' });
  await page.goto('/');
  const box = page.getByRole('checkbox', { name: 'Select: Delete me' });
  await box.click();
  const search = page.getByPlaceholder('Search titles, replies');
  for (const [path, name, count] of [
    ['/api/selection/delete', 'Delete', 0],
    ['/api/selection/restore', 'Undo', 1],
  ] as const) {
    const answer = await holdReply(page, path, 1);
    await page.getByRole('button', { name, exact: true }).click();
    await search.click();
    answer();
    await expect(box).toHaveCount(count);
    await twoFrames(page);
    await expect(search).toBeFocused();
  }
});

test('a title that another tab changes stays when the field is left as it was', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'titled', steps: [{ reply: { content: 'Yes.' } }] });
  const { id } = await finishRun(loupe, { task: 'The first title', model: 'titled' });
  await page.goto(`/runs/${id}`);
  await page.getByRole('button', { name: 'Rename this run' }).click();
  const field = page.getByLabel('Title');
  await expect(field).toHaveValue('The first title');
  await loupe.request(`/api/runs/${id}`, { method: 'PATCH', json: { title: 'From another tab' } });
  await expect(page).toHaveTitle(/From another tab/);
  await field.blur();
  await expect(page.getByRole('heading', { level: 1, name: 'From another tab' })).toBeVisible();
  expect((await (await loupe.request(`/api/runs/${id}`)).json()).run.title).toBe('From another tab');
});

test('a late reply to a change of a run keeps what was changed and typed meanwhile', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'noted-late', steps: [{ reply: { content: 'Yes.' } }] });
  const { id } = await finishRun(loupe, { task: 'Take notes', model: 'noted-late' });
  await page.goto(`/runs/${id}`);
  const pin = page.getByRole('button', { name: 'Pin this run' });
  const dialog = page.getByRole('dialog', { name: 'Edit details' });
  const save = dialog.getByRole('button', { name: 'Save' });
  const replied = () =>
    page.waitForResponse(
      (response) => response.request().method() === 'PATCH' && response.url().endsWith(id),
    );

  await test.step('the details wait for the pin, whose reply would hide theirs', async () => {
    const answer = await holdChange(page, id);
    await pin.click();
    const details = page.getByRole('button', { name: 'Add tags or a note' });
    await expect(details).toBeDisabled();
    answer();
    await details.click();
    await dialog.getByLabel('Note').fill('Saved first.');
    await save.click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText('Saved first.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Unpin this run' })).toBeEnabled();
  });

  await test.step('text that was typed while the note was saved', async () => {
    const answer = await holdChange(page, id);
    await page.getByRole('button', { name: 'Edit details' }).click();
    await dialog.getByLabel('Note').fill('Saved second.');
    await save.click();
    await expect(save).toBeDisabled();
    await dialog.getByLabel('Note').fill('Saved second. Typed meanwhile.');
    answer();
    await expect(save).toBeEnabled();
    await expect(dialog.getByLabel('Note')).toHaveValue('Saved second. Typed meanwhile.');
    await save.click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText('Saved second. Typed meanwhile.')).toBeVisible();
  });

  await test.step('the title field that was opened again', async () => {
    const answer = await holdChange(page, id);
    const rename = page.getByRole('button', { name: 'Rename this run' });
    const field = page.getByLabel('Title');
    await rename.click();
    await field.fill('Notes');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await expect(field).toBeHidden();
    await rename.click();
    await expect(field).toBeVisible();
    const late = replied();
    answer();
    await (await late).finished();
    await expect(field).toBeEditable();
    await twoFrames(page);
    await expect(field).toBeVisible();
  });
});
