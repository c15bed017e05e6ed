import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { holdReply } from '../delay-reply.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { smallTargets, TOUCH_TARGET_PX, twoFrames } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { finishRun, logOf } from '../runs.ts';

const chip = (page: Page) => page.getByRole('button', { name: /^Folder: / });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Choose a folder' });

const writer = {
  name: 'folder-model',
  steps: [
    { reply: { tool_calls: [{ name: 'write_file', arguments: { path: 'a.md', content: 'Changed.' } }] } },
    { reply: { content: 'The task is completed.' } },
  ],
};

test('a run works on a copy of the folder that was found by browsing, and says where the copy is', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add(writer);
  const folder = realpathSync(workspace({ 'a.md': 'Original.' }));
  mkdirSync(join(folder, 'sub', 'inner'), { recursive: true });
  mkdirSync(join(folder, '.hidden'));
  symlinkSync(join(folder, 'sub'), join(folder, 'way'));
  await page.goto('/');
  await expect(chip(page)).toHaveText('Fresh folder');
  await chip(page).click();

  await test.step('by keyboard: down into a folder, up again, hidden ones on request', async () => {
    const path = dialog(page).getByLabel('Path', { exact: true });
    await expect(path).toBeFocused();
    await path.fill(folder);
    await path.press('Enter');
    const list = dialog(page).getByRole('list', { name: /^Folders in / });
    await expect(list.getByRole('button')).toHaveText(['sub', 'waylink']);
    await expect(dialog(page).getByText('2 folders, 1 file.')).toBeVisible();
    await expectAccessible(page);
    await list.getByRole('button', { name: 'sub' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect(path).toHaveValue(join(folder, 'sub'));
    await expect(list.getByRole('button', { name: 'inner' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(list).toContainText('No folders in here.');
    await page.keyboard.press('Backspace');
    await expect(path).toHaveValue(join(folder, 'sub'));
    await page.keyboard.press('ArrowLeft');
    await expect(list.getByRole('button')).toHaveText(['sub', 'waylink']);
    await page.keyboard.press('w');
    await expect(list.getByRole('button', { name: 'way' })).toBeFocused();
    await dialog(page).getByLabel('Hidden folders (1)').check();
    await expect(list.getByRole('button', { name: '.hidden' })).toBeVisible();
  });

  await test.step('what no run can work in is refused with the reason', async () => {
    await dialog(page).getByRole('button', { name: 'Home' }).click();
    await expect(dialog(page).getByLabel('Path', { exact: true })).not.toHaveValue(folder);
    await dialog(page)
      .getByRole('button', { name: /^Use (?!a fresh)/ })
      .click();
    await expect(dialog(page).getByRole('alert')).toContainText('cannot be a workspace');
    await dialog(page).getByLabel('Path', { exact: true }).fill('/no/such/folder');
    await dialog(page).getByRole('button', { name: 'Use folder' }).click();
    await expect(dialog(page).getByRole('alert')).toContainText('does not exist');
  });

  await test.step('the copy is changed, the folder is not', async () => {
    await dialog(page).getByLabel('Path', { exact: true }).fill(`"${folder}"`);
    await dialog(page)
      .getByRole('button', { name: /^Use loupe-workspace/ })
      .click();
    await expect(chip(page)).toContainText('Copy of loupe-workspace');
    await expect(page.getByLabel('Work on a copy')).toBeChecked();
    await expect(page.getByText('Your folder stays unchanged.')).toBeVisible();
    await page.getByLabel('Model', { exact: true }).selectOption({ label: 'folder-model:latest' });
    await page.getByLabel('Task', { exact: true }).fill('Change a.md');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await new RunView(page).expectEnd('The model answered', 'final_answer');
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const [created] = eventsOf(await logOf(loupe, id), 'run.created');
    const copy = join(realpathSync(loupe.dataDir), 'workspaces', id);
    expect(created?.config).toMatchObject({ workspace: copy, copied_from: folder });
    expect(readFileSync(join(copy, 'a.md'), 'utf8')).toBe('Changed.');
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('Original.');
    const main = page.getByRole('main');
    await expect(main).toContainText(`The workspace is a copy of ${folder}`);
    await expect(main).toContainText('The run leaves that folder unchanged. Its files are in');
  });

  await test.step('the folder is among the recent ones, and can be used itself', async () => {
    await page.goto('/');
    await chip(page).click();
    const recent = dialog(page).getByRole('region', { name: 'Recent folders' });
    await recent
      .getByRole('button', { name: /^loupe-workspace/ })
      .first()
      .click();
    await page.getByLabel('Work on a copy').uncheck();
    await expect(page.getByText('in your folder itself')).toBeVisible();
    await expect(chip(page)).not.toContainText('Copy of');
    await page.getByRole('link', { name: 'All options' }).click();
    await expect(page.getByLabel('Folder', { exact: true })).toHaveValue(folder);
    await expect(page.getByLabel('Work on a copy')).not.toBeChecked();
    expect(readdirSync(folder).toSorted()).toEqual(['.hidden', 'a.md', 'sub', 'way']);
  });
});

/** Drops data on the quick form, as a file manager or a terminal does. */
async function drop(page: Page, data: Record<string, string>): Promise<void> {
  const transfer = await page.evaluateHandle((texts) => {
    const dropped = new DataTransfer();
    for (const [type, text] of Object.entries(texts)) dropped.setData(type, text);
    return dropped;
  }, data);
  await page.getByRole('form', { name: 'Quick run' }).dispatchEvent('drop', { dataTransfer: transfer });
}

test('on a phone, the button that uses a folder is in view however much is above it', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'looks-around', steps: [{ reply: { content: 'The task is completed.' } }] });
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const folder = join(workspace(), `customer-reports-${name}`);
    mkdirSync(folder);
    await finishRun(loupe, { task: 'Look around', model: 'looks-around', workspace: folder });
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/');
  await chip(page).click();
  const recent = dialog(page).getByRole('region', { name: 'Recent folders' });
  await expect(recent.getByRole('button').first()).toBeVisible();
  await expect(dialog(page).getByRole('button', { name: /^Use (?!a fresh)/ })).toBeInViewport({ ratio: 1 });
  expect(await smallTargets(page, TOUCH_TARGET_PX)).toEqual([]);
});

test('a folder can be dropped by its path', async ({ page, workspace }) => {
  const folder = workspace();
  await page.goto('/');
  await drop(page, { 'text/uri-list': `file://${folder}` });
  await expect(chip(page)).toHaveAccessibleName(`Folder: ${folder}`);
  await drop(page, { 'text/plain': 'two lines\nof text' });
  await expect(chip(page)).toHaveAccessibleName(`Folder: ${folder}`);
  await chip(page).click();
  await dialog(page).getByRole('button', { name: 'Use a fresh folder' }).click();
  await expect(chip(page)).toHaveText('Fresh folder');
});

test('a folder that is still being checked is not used after Cancel', async ({ page, workspace }) => {
  await page.goto('/');
  await chip(page).click();
  await dialog(page)
    .getByLabel('Path', { exact: true })
    .fill(realpathSync(workspace({ 'a.md': 'A.' })));
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByText('0 folders, 1 file.')).toBeVisible();
  const answer = await holdReply(page, '/api/folders', 1);
  await dialog(page)
    .getByRole('button', { name: /^Use loupe-workspace/ })
    .click();
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  const answered = page.waitForResponse(/\/api\/folders\?/);
  answer();
  await (await answered).finished();
  await twoFrames(page);
  await expect(chip(page)).toHaveText('Fresh folder');
});

test('a folder that is still being checked is not used once another one was typed', async ({
  page,
  workspace,
}) => {
  await page.goto('/');
  await chip(page).click();
  const path = dialog(page).getByLabel('Path', { exact: true });
  for (const [first, error] of [
    [realpathSync(workspace({ 'a.md': 'A.' })), false],
    ['/nowhere/at-all', true],
  ] as const) {
    await path.fill(first);
    const answer = await holdReply(page, '/api/folders', 1);
    await dialog(page)
      .getByRole('button', { name: /^Use (?!a fresh)/ })
      .click();
    await path.fill('/tmp');
    const answered = page.waitForResponse(/\/api\/folders\?/);
    answer();
    expect((await answered).ok()).toBe(!error);
    await (await answered).finished();
    await expect(dialog(page).getByRole('button', { name: 'Use tmp' })).toBeEnabled();
    await expect(path).toHaveValue('/tmp');
    await expect(dialog(page).getByRole('alert')).toBeHidden();
    await expect(chip(page)).toHaveText('Fresh folder');
  }
});
