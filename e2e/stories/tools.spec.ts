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

test('the dialogs for servers and custom tools show their buttons, and what is wrong, in a low window', async ({
  page,
  loupe,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const server = { type: 'http', url: 'http://127.0.0.1:9/mcp' };
  await loupe.request('/api/mcp/servers', { json: { name: 'taken', server } });
  await page.goto('/tools');
  const dialog = page.getByRole('dialog');
  const scrollTo = (end: 'top' | 'bottom') =>
    dialog.evaluate((element, top) => element.scrollTo(0, top), end === 'top' ? 0 : 10_000);

  await test.step('an entry that is missing gets the focus', async () => {
    for (const [open, add] of [
      ['New server', 'Add server'],
      ['New tool', 'Add tool'],
    ] as const) {
      await page.getByRole('button', { name: open, exact: true }).click();
      const button = dialog.getByRole('button', { name: add });
      await expect(button).toBeInViewport({ ratio: 1 });
      await scrollTo('bottom');
      await button.click();
      await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused();
      await expect(dialog.getByLabel('Name', { exact: true })).toBeInViewport();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await expect(dialog).toBeHidden();
    }
  });

  await test.step('the reason of a refusal is in view', async () => {
    await page.getByRole('button', { name: 'New server', exact: true }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('taken');
    await dialog.getByText('At an address', { exact: true }).click();
    await dialog.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:9/mcp');
    await scrollTo('top');
    await dialog.getByRole('button', { name: 'Add server' }).click();
    await expect(dialog.getByRole('alert')).toBeInViewport({ ratio: 1 });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('the form that tries a tool gets the focus', async () => {
    await page.getByRole('button', { name: 'New tool', exact: true }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('say_hello');
    await dialog.getByLabel('Description', { exact: true }).fill('Say hello.');
    await dialog.getByLabel('Command', { exact: true }).fill('echo\nhello');
    await scrollTo('top');
    await dialog.getByRole('button', { name: 'Try it' }).click();
    const call = dialog.getByRole('form', { name: 'Try say_hello' }).getByRole('button', { name: 'Call' });
    await expect(call).toBeFocused();
    await expect(call).toBeInViewport({ ratio: 1 });
    await expectAccessible(page);
  });
  await loupe.request('/api/mcp/servers/taken', { method: 'DELETE', json: {} });
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
