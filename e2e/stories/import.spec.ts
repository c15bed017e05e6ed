import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunReply } from '../../lib/api/replies.ts';
import { instantScenario } from '../../lib/testing/instant-scenario.ts';
import { completedLog, runningLog } from '../../lib/testing/sample-logs.ts';
import { eatenLog } from '../../lib/testing/sample-truth.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { endOf, startRun } from '../runs.ts';

test('an imported run opens read-only and looks like the original', async ({ page, loupe, ollama }, info) => {
  ollama.add(instantScenario(3, 'counted'));
  const { id } = await startRun(loupe, { task: 'Count the files', model: 'counted' });
  await endOf(loupe, id);
  const view = new RunView(page);
  await view.open(id);
  await expect(view.connection('Complete')).toBeVisible();
  const atHome = [...(await view.allRows())];
  const files = await view.openMenu('Export');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    files.getByRole('link', { name: 'Run file' }).click(),
  ]);
  const file = info.outputPath('run.jsonl');
  await download.saveAs(file);
  const deleted = await loupe.request(`/api/runs/${id}`, { method: 'DELETE', json: {} });
  expect(deleted.ok).toBe(true);

  await page.goto('/');
  await page.getByLabel('Run file').setInputFiles(file);
  await expect(page).toHaveURL(new RegExp(`/runs/${id}$`));
  await expect(page.getByRole('note').filter({ hasText: 'It is read-only.' })).toBeVisible();
  await expect(view.connection('Complete')).toBeVisible();
  expect([...(await view.allRows())]).toEqual(atHome);
  await page.goto('/');
  await expect(page.getByRole('listitem').filter({ hasText: 'Count the files' })).toContainText('imported');
});

test('an imported run continues in an empty folder, and in a copy of the folder in its file only on request [threat 1]', async ({
  page,
  loupe,
}, info) => {
  const theirs = join(loupe.dataDir, 'workspaces', 'mine');
  await mkdir(theirs, { recursive: true });
  await writeFile(join(theirs, 'private.txt'), 'Not for others.');
  const { events } = completedLog({ runId: 'theirs-ended', config: { workspace: theirs } });
  const file = info.outputPath('ended.jsonl');
  await writeFile(file, events.map((event) => JSON.stringify(event)).join('\n'));
  await page.goto('/');
  await page.getByLabel('Run file').setInputFiles(file);
  await expect(page.getByRole('note').filter({ hasText: 'It is read-only.' })).toBeVisible();

  const workspaceOfNew = async (before: string) => {
    await expect(page).toHaveURL(new RegExp(`/runs/(?!${before}$)`));
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const { config } = (await (await loupe.request(`/api/runs/${id}`)).json()) as RunReply;
    return config.workspace === join(loupe.dataDir, 'workspaces', id) ? 'its own' : config.workspace;
  };
  const view = new RunView(page);
  await view.chooseNext('Run again');
  expect(await workspaceOfNew('theirs-ended')).toBe('its own');
  await page.goto('/runs/theirs-ended');

  await view.chooseNext(/^Fork before/);
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('radio', { name: 'An empty folder' })).toBeChecked();
  await expect(dialog.getByRole('radio', { name: 'The same folder' })).toHaveCount(0);
  await dialog.getByText('A copy of the files').click();
  await expect(dialog).toContainText(`The imported file names ${theirs}`);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Start the fork' }).click();
  const copy = await workspaceOfNew('theirs-ended');
  expect(copy).toBe('its own');
  await expect(page.getByText(/Its folder is a copy made at the fork \(1 file,/)).toBeVisible();
  await page.goto('/runs/theirs-ended');

  await page.getByRole('button', { name: 'Follow up' }).click();
  await page.getByLabel('What should it do next?').fill('Look again.');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  expect(await workspaceOfNew('theirs-ended')).toBe('its own');
  await page.goto('/runs/theirs-ended');

  const more = await view.openMenu('More');
  await more.getByRole('link', { name: 'Run again with changes' }).click();
  const form = page.getByRole('form', { name: 'New run' });
  await expect(form).toContainText(`The imported file names the folder ${theirs}`);
  await expect(form.getByRole('radio', { name: 'A fresh folder' })).toBeChecked();
  await form.getByText('An existing folder', { exact: true }).click();
  await expect(form.getByRole('textbox', { name: 'Folder', exact: true })).toHaveValue('');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Start run' }).click();
  await expect(form.getByRole('textbox', { name: 'Folder', exact: true })).toHaveAttribute('aria-invalid');
  await form.getByText('A fresh folder', { exact: true }).click();
  await form.getByRole('button', { name: 'Start run' }).click();
  expect(await workspaceOfNew('new.*')).toBe('its own');
});

test('an imported run whose reply was all thinking is retried in an empty folder [threat 1]', async ({
  page,
  loupe,
}, info) => {
  const theirs = join(loupe.dataDir, 'workspaces', 'mine');
  await mkdir(theirs, { recursive: true });
  const events = eatenLog().events.map((event) =>
    event.type === 'run.created' ? { ...event, config: { ...event.config, workspace: theirs } } : event,
  );
  const file = info.outputPath('eaten.jsonl');
  await writeFile(file, events.map((event) => JSON.stringify(event)).join('\n'));
  await page.goto('/');
  await page.getByLabel('Run file').setInputFiles(file);
  await expect(page.getByRole('note').filter({ hasText: 'It is read-only.' })).toBeVisible();
  const before = page.url();
  await page.getByRole('button', { name: 'Retry without thinking' }).click();
  await expect(page).not.toHaveURL(before);
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const { config } = (await (await loupe.request(`/api/runs/${id}`)).json()) as RunReply;
  expect(config.workspace).toBe(join(loupe.dataDir, 'workspaces', id));
});

test('an imported log that stops before its run ended is shown as such, and can be deleted', async ({
  page,
}, info) => {
  const file = info.outputPath('open.jsonl');
  const { events } = runningLog({ runId: 'theirs-open' });
  await writeFile(file, events.map((event) => JSON.stringify(event)).join('\n'));
  await page.goto('/');
  await page.getByLabel('Run file').setInputFiles(file);
  await expect(page.getByRole('note').filter({ hasText: 'ends before the run did' })).toBeVisible();
  await expect(new RunView(page).connection('Complete')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Stop/ })).toHaveCount(0);
  await expect(page.getByRole('textbox', { name: /message/i })).toHaveCount(0);
  await page.getByRole('button', { name: 'Delete this run' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Delete/ })
    .click();
  await expect(page).toHaveURL(/\/$/);
});

test('a hostile run file is refused with its line number, and nothing is kept', async ({
  page,
  loupe,
}, info) => {
  const before = await (await loupe.request('/api/runs')).text();
  const hostile = info.outputPath('hostile.jsonl');
  await page.goto('/');
  for (const [text, words] of [
    ['<img src=x onerror="document.title=1">', 'line 1 is not JSON'],
    ['[['.repeat(50_000), 'line 1 is not JSON'],
    [`${'['.repeat(5000)}${']'.repeat(5000)}`, 'levels deep'],
    ['{"format":"loupe-run","version":9,"run_id":"x"}', 'this Loupe reads versions up to'],
  ] as const) {
    await writeFile(hostile, text);
    await page.getByLabel('Run file').setInputFiles(hostile);
    await expect(page.getByRole('alert').filter({ hasText: words })).toBeVisible();
  }
  expect(await (await loupe.request('/api/runs')).text()).toBe(before);
});
