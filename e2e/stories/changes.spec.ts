import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { finishRun, startRun } from '../runs.ts';

const write = (path: string, content: string) => ({
  reply: { tool_calls: [{ name: 'write_file', arguments: { path, content } }] },
});
const done = { reply: { content: 'The task is completed.' } };

test('the changes of a run are reviewed as diffs, and reverted one by one or all together', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({
    name: 'changes',
    steps: [
      write('config.ini', 'name = loupe\ncolour = red\n'),
      write('config.ini', 'name = loupe\ncolour = blue\nsize = 2\n'),
      write('src/new.txt', 'A new file.\n'),
      write('kept.txt', 'After.\n'),
      done,
    ],
  });
  const folder = workspace({ 'config.ini': 'name = loupe\ncolour = green\n', 'kept.txt': 'Before.\n' });
  const { id } = await finishRun(loupe, { task: 'Change', model: 'changes', workspace: folder });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  const files = view.end.getByRole('region', { name: 'Files', exact: true });
  await expect(files.getByRole('heading')).toHaveText('3 files changed');
  await files.getByRole('button', { name: /config\.ini/ }).click();
  const dialog = page.getByRole('dialog', { name: '3 files changed' });
  const config = dialog.getByRole('region', { name: 'config.ini', exact: true });
  await expect(config).toContainText('green');
  await expect(config).toContainText('size = 2');
  await expect(config).not.toContainText('red');
  await config.getByRole('button', { name: 'Show content' }).click();
  await expect(config).not.toContainText('green');
  await config.getByRole('button', { name: 'Show diff' }).click();
  await expectAccessible(page);

  const saving = page.waitForEvent('download');
  await config.getByRole('button', { name: 'Download' }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe('config.ini');
  expect(readFileSync(await download.path(), 'utf8')).toBe('name = loupe\ncolour = blue\nsize = 2\n');

  await config.getByRole('button', { name: 'Revert', exact: true }).click();
  await expect(config).toContainText('as before the run');
  expect(readFileSync(join(folder, 'config.ini'), 'utf8')).toBe('name = loupe\ncolour = green\n');
  await expect(config.getByRole('button', { name: 'Show content' })).toBeFocused();

  writeFileSync(join(folder, 'kept.txt'), 'Edited by hand.\n');
  await dialog.getByRole('button', { name: 'Revert all' }).click();
  await expect(dialog.locator(':focus')).toHaveText('Restore their content from before the run?');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Revert 2 files' }).click();
  await expect(
    dialog.getByRole('status').filter({ hasText: 'The file has changed since the run.' }),
  ).toBeVisible();
  expect(readFileSync(join(folder, 'kept.txt'), 'utf8')).toBe('Edited by hand.\n');
  await expect(dialog.getByRole('button', { name: 'Revert all' })).toHaveCount(0);
  await expect(dialog.getByRole('button', { name: 'Close' })).toBeFocused();

  await config.getByRole('link', { name: /^#/ }).first().click();
  await expect(dialog).toBeHidden();
  await expect(view.row('write_file, succeeded').first()).toBeFocused();
});

test('a run that holds the folder of another is linked where changes cannot be reverted', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'writes', steps: [write('a.txt', 'One.\n'), done] });
  ollama.add({ name: 'holds', steps: [{ fault: { kind: 'hang' } }] });
  const folder = workspace({});
  const { id } = await finishRun(loupe, { task: 'Write', model: 'writes', workspace: folder });
  const other = await startRun(loupe, { task: 'Hold', model: 'holds', workspace: folder });
  const view = new RunView(page);
  await view.open(id);
  await view.end.getByRole('button', { name: /a\.txt/ }).click();
  const dialog = page.getByRole('dialog', { name: '1 file changed' });
  await expect(dialog.getByText(/ is working in this folder\./)).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('link', { name: other.id }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${other.id}$`));
  await expect(page.getByRole('heading', { name: 'Hold' })).toBeVisible();
});
