import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { PresetReply } from '../../lib/api/preset.ts';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { holdReply } from '../delay-reply.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { logOf } from '../runs.ts';

const presets = (page: Page) => page.getByRole('navigation', { name: 'Presets' });
const all = (page: Page) => page.getByRole('dialog', { name: 'Presets' });

test('a form is saved as a preset, filled in from the first page, changed, exported and imported', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'preset-model', steps: [{ reply: { content: 'The task is completed.' } }] });

  await test.step('saved, with a placeholder', async () => {
    await page.goto('/runs/new');
    await page.getByLabel('What should the agent do?').fill('Summarise {file} as {{json}}');
    await page.getByRole('radio', { name: /^preset-model/ }).check();
    await page.getByLabel('Iterations', { exact: true }).fill('4');
    await page.getByRole('button', { name: 'Save as preset' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save as a preset' });
    await expect(dialog.getByLabel('Ask for {file} each time')).toBeChecked();
    await dialog.getByLabel('Name', { exact: true }).fill('Weekly report');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page).toHaveURL(/\/runs\/new\?preset=/);
    await expect(page.getByLabel('file', { exact: true })).toBeVisible();
  });

  await test.step('filled in from the first page', async () => {
    await page.goto('/');
    await presets(page).getByRole('link', { name: 'Weekly report' }).click();
    await expect(page.getByText('Preset: Weekly report')).toBeVisible();
    await expect(page.getByLabel('Iterations', { exact: true })).toHaveValue('4');
    const start = page.getByRole('button', { name: 'Start run', exact: true });
    await start.click();
    await expect(page.getByText('Fill in file.')).toBeVisible();
    await expect(page.getByLabel('file', { exact: true })).toBeFocused();
    await expectAccessible(page);
    await page.getByLabel('file', { exact: true }).fill('notes.md {x}');
    await start.click();
    await new RunView(page).expectEnd('The model answered', 'final_answer');
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const [created] = eventsOf(await logOf(loupe, id), 'run.created');
    expect(created?.config).toMatchObject({
      task: 'Summarise notes.md {x} as {json}',
      model: 'preset-model:latest',
      max_iterations: 4,
    });
  });

  await test.step('from the palette, and changed', async () => {
    await page.goto('/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('weekly rep');
    await page
      .getByRole('option', { name: /Weekly report/ })
      .first()
      .click();
    // The form is filled in from the preset first.
    await expect(page.getByLabel('Iterations', { exact: true })).toHaveValue('4');
    await page.getByLabel('Iterations', { exact: true }).fill('5');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Update' }).click();
    await expect(page.getByRole('dialog')).toBeHidden();
    await page.reload();
    await expect(page.getByLabel('Iterations', { exact: true })).toHaveValue('5');
  });

  await test.step('renamed, exported, imported under a free name, deleted', async () => {
    await page.goto('/');
    await presets(page).getByRole('button', { name: 'Manage presets' }).click();
    await all(page).getByRole('button', { name: 'Rename Weekly report' }).click();
    const name = all(page).getByLabel('New name of Weekly report');
    await name.fill('Report');
    await page.route(/\/api\/presets\/[^/]+$/, (route) => route.abort(), { times: 1 });
    await name.press('Enter');
    await expect(all(page).getByRole('alert')).toBeVisible();
    await expect(name).toHaveValue('Report');
    await name.press('Enter');
    await expect(all(page).getByRole('link', { name: 'Report' })).toBeVisible();
    await expect(all(page).getByRole('button', { name: 'Rename Report' })).toBeFocused();
    await expectAccessible(page);
    const download = page.waitForEvent('download');
    await all(page).getByRole('button', { name: 'Export Report' }).click();
    const file = await (await download).path();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      format: 'loupe-preset/1',
      name: 'Report',
      run: { task: 'Summarise {file} as {{json}}', max_iterations: 5 },
    });
    await all(page).getByLabel('Preset file').setInputFiles(file);
    await expect(all(page).getByText('Imported “Report (2)”.')).toBeVisible();
    await all(page).getByRole('button', { name: 'Delete Report (2)' }).click();
    await all(page).getByRole('button', { name: 'Confirm deletion of Report (2)' }).click();
    await expect(all(page).getByRole('link', { name: 'Report (2)' })).toBeHidden();
    await expect(all(page).getByRole('button', { name: 'Close' })).toBeFocused();
    const hostile = { name: 'x.json', mimeType: 'application/json' };
    const content = JSON.stringify({ format: 'loupe-preset/1', name: 'x', run: { autostart: true } });
    await all(page)
      .getByLabel('Preset file')
      .setInputFiles({ ...hostile, buffer: Buffer.from(content) });
    await expect(all(page).getByRole('alert')).toContainText('autostart');
    await all(page)
      .getByLabel('Preset file')
      .setInputFiles({ ...hostile, buffer: Buffer.from('no JSON') });
    await expect(all(page).getByRole('alert')).toContainText('not JSON');
    await all(page).getByRole('button', { name: 'Delete Report' }).click();
    await all(page).getByRole('button', { name: 'Confirm deletion of Report' }).click();
    await expect(all(page)).toContainText('None yet.');
  });
});

test('a new name that is entered while the former one is being saved is not lost', async ({
  page,
  loupe,
}) => {
  const saved = await loupe.request('/api/presets', { json: { name: 'First', run: {} } });
  const { preset } = (await saved.json()) as PresetReply;
  await page.goto('/');
  await presets(page).getByRole('button', { name: 'Manage presets' }).click();
  const name = all(page).getByRole('textbox', { name: /^New name of/ });
  await all(page).getByRole('button', { name: 'Rename First' }).click();
  await name.fill('Second');
  const release = await holdReply(page, `/api/presets/${preset.id}`);
  await name.press('Enter');
  await all(page).getByRole('button', { name: 'Cancel' }).click();
  await all(page).getByRole('button', { name: 'Rename First' }).click();
  await name.fill('Third');
  release();
  await expect(all(page).getByText('Renamed to “Second”.')).toBeVisible();
  await expect(name).toHaveValue('Third');
  await loupe.request(`/api/presets/${preset.id}`, { method: 'DELETE', json: {} });
});

test('a preset with hostile text is shown as text', async ({ page, loupe }) => {
  const name = '<img src=x onerror=alert(1)>';
  const json = { name, run: { task: '<script>alert(1)</script> {a}', model: 'no-such-model' } };
  const reply = await loupe.request('/api/presets', { json });
  const { preset } = (await reply.json()) as PresetReply;
  await page.goto('/');
  await expect(presets(page).getByRole('link', { name })).toBeVisible();
  await presets(page).getByRole('link', { name }).click();
  await expect(page.getByText('Its model no-such-model is not installed here.')).toBeVisible();
  await loupe.request(`/api/presets/${preset.id}`, { method: 'DELETE', json: {} });
});
