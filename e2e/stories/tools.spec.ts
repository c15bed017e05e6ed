import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { endOf, startRun } from '../runs.ts';

const edit = (old_text: string, new_text: string) => ({
  reply: {
    tool_calls: [{ name: 'edit_file', arguments: { path: 'plan.txt', edits: [{ old_text, new_text }] } }],
  },
});
const done = { reply: { content: 'The task is completed.' } };

test('the form chooses the tools and shows what they take of the window [O18]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'few-tools', steps: [done] });
  await page.goto('/runs/new?model=few-tools&task=Read');
  const tools = page.getByRole('group', { name: 'Offered tools' });
  await expect(tools.getByRole('checkbox')).toHaveCount(7);
  await expect(tools.getByLabel('fetch_url')).not.toBeChecked();
  await expect(tools).toContainText('Read a text file or an image in the workspace.');
  await expect(
    page.getByText(/^6 tools: about [\d,]+ tokens in every request, \d+% of the window\.$/),
  ).toBeVisible();
  await page.getByLabel('Window (tokens)').fill('4096');
  await expect(page.getByText(/^6 tools: .* (?:1\d|2\d|3\d)% of the window\.$/)).toBeVisible();
  for (const name of ['write_file', 'edit_file', 'run_command']) await tools.getByLabel(name).uncheck();
  await expect(page.getByText(/^3 tools: /)).toBeVisible();
  await expect(page.getByRole('radiogroup', { name: 'Calls of write_file' })).toHaveCount(0);
  await expectAccessible(page);
  for (const name of ['read_file', 'list_directory', 'search_files']) await tools.getByLabel(name).uncheck();
  await page.getByRole('button', { name: 'Start run' }).click();
  await expect(page.getByText('Choose at least one tool, or a quick prompt.')).toBeVisible();
  await tools.getByLabel('read_file').check();
  await page.getByRole('button', { name: 'Start run' }).click();
  await expect(page).toHaveURL(/\/runs\/(?!new)/);
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await endOf(loupe, id);
  expect(ollama.chats.at(-1)?.tools).toMatchObject([{ function: { name: 'read_file' } }]);
});

test('an edit is approved with its diff, reviewed and reverted [O17]', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'editor', steps: [edit('Keep it.', 'Sell it.'), edit('Nothing', 'All'), done] });
  const folder = workspace({ 'plan.txt': 'Wait.\nKeep it.\n' });
  const { id } = await startRun(loupe, {
    task: 'Plan',
    model: 'editor',
    workspace: folder,
    approval: { tools: { edit_file: 'ask' } },
  });
  const view = new RunView(page);
  await view.open(id);
  const row = view.row('edit_file, awaiting approval');
  await expect(row.getByRole('row', { name: /Keep it/ }).or(row.getByText('Keep it.'))).toBeVisible();
  await expect(row).toContainText('Sell it.');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Approve once', exact: true }).click();
  await expect(page.getByText('The edits do not fit the file. The call would change nothing.')).toBeVisible();
  await page.getByRole('button', { name: 'Approve once', exact: true }).click();
  await endOf(loupe, id);
  expect(readFileSync(join(folder, 'plan.txt'), 'utf8')).toBe('Wait.\nSell it.\n');
  await page.getByRole('button', { name: 'Review changes' }).click();
  const changes = page.getByRole('dialog', { name: '1 file changed' });
  await expect(changes).toContainText('Sell it.');
  await changes.getByRole('button', { name: 'Revert', exact: true }).click();
  await expect(changes).toContainText('as before the run');
  expect(readFileSync(join(folder, 'plan.txt'), 'utf8')).toBe('Wait.\nKeep it.\n');
});
