import type { TryCommandToolReply } from '../../lib/api/command-tool.ts';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { holdReply } from '../delay-reply.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { twoFrames } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { logOf } from '../runs.ts';

const done = { reply: { content: 'The task is completed.' } };

test('a command is made a tool, tried, and called by a run that asks first [O25]', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  const probe = { name: 'probe', description: 'x', parameters: { type: 'object' }, command: ['true'] };
  const tried = await loupe.request('/api/command-tools/try', { json: { tool: probe, arguments: {} } });
  test.skip(!tried.ok, 'Commands cannot be confined on this machine.');
  expect(((await tried.json()) as TryCommandToolReply).result.success).toBe(true);

  await test.step('written in the form, with its problems named', async () => {
    await page.goto('/tools');
    await expect(page.getByText('No custom tools yet.')).toBeVisible();
    await page.getByRole('button', { name: 'New tool' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add tool' }).click();
    await expect(dialog.getByText('Describe what it does: models choose by this.')).toBeVisible();
    await expectAccessible(page);
    await dialog.getByLabel('Name', { exact: true }).fill('count_words');
    await dialog.getByLabel('Description', { exact: true }).fill('Count the words of a text file.');
    await dialog.getByRole('button', { name: 'Add a parameter' }).click();
    await dialog.getByLabel('Name of parameter 1').fill('path');
    await dialog.getByLabel('Description of parameter 1').fill('Path in the workspace');
    await dialog.getByLabel('Command', { exact: true }).fill('sh\n-c\nwc -w {path}');
    await dialog.getByRole('button', { name: 'Add tool' }).click();
    await expect(dialog.getByText(/A shell would read this as code/)).toBeVisible();
    await dialog.getByLabel('Command', { exact: true }).fill('wc\n-w\n--\n{path}');
    await dialog.getByText('Read', { exact: true }).click();
  });

  await test.step('tried in an empty folder, then saved', async () => {
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Try it' }).click();
    const form = dialog.getByRole('form', { name: 'Try count_words' });
    await form.getByLabel('path').fill('$(id) *');
    await form.getByRole('button', { name: 'Call' }).click();
    await expect(form.getByRole('region', { name: 'Result' })).toContainText("wc: '$(id) *'");
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Add tool' }).click();
    await expect(page.getByRole('list', { name: 'Custom tools' })).toContainText('wc -w -- {path}');
    await expectAccessible(page);
  });

  await test.step('chosen in the form of a run, asked about, and called', async () => {
    const folder = workspace({ 'a b.txt': 'one two three' });
    ollama.add({
      name: 'counts',
      steps: [
        { reply: { tool_calls: [{ name: 'custom__count_words', arguments: { path: 'a b.txt' } }] } },
        done,
      ],
    });
    await page.goto(`/runs/new?model=counts&task=Count&workspace=${encodeURIComponent(folder)}`);
    await page.getByLabel('All custom tools').check();
    await expect(page.getByText(/^7 tools: /)).toBeVisible();
    const rule = page.getByRole('radiogroup', { name: 'Calls of custom__count_words' });
    await expect(rule.getByRole('radio', { name: 'Ask me' })).toBeChecked();
    await page.getByRole('button', { name: 'Start run', exact: true }).click();
    const view = new RunView(page);
    const asked = view.row('custom__count_words, awaiting approval');
    await expect(asked.getByText('custom', { exact: true })).toBeVisible();
    await asked.getByRole('button', { name: 'Approve once', exact: true }).click();
    await view.expectEnd('The model answered', 'final_answer');
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const [called] = eventsOf(await logOf(loupe, id), 'tool-call.ended');
    expect(called?.result.output).toMatchObject({ exit_code: expect.any(Number) });
  });

  await test.step('removed', async () => {
    await page.goto('/tools');
    await page.getByRole('button', { name: 'Remove count_words' }).click();
    await page.getByRole('button', { name: 'Remove count_words' }).click();
    await expect(page.getByText('No custom tools yet.')).toBeVisible();
  });
});

test('a tool that is saved late does not close the dialog of the next one', async ({ page, loupe }) => {
  await page.goto('/tools');
  const open = page.getByRole('button', { name: 'New tool' });
  await open.click();
  const dialog = page.getByRole('dialog', { name: 'New custom tool' });
  await dialog.getByLabel('Name', { exact: true }).fill('saved_late');
  await dialog.getByLabel('Description', { exact: true }).fill('Does nothing.');
  await dialog.getByLabel('Command', { exact: true }).fill('true');
  const answer = await holdReply(page, '/api/command-tools', 1);
  await dialog.getByRole('button', { name: 'Add tool' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await open.click();
  await dialog.getByLabel('Name', { exact: true }).fill('typed_now');
  answer();
  await expect(page.getByText('saved_late')).toBeAttached();
  await twoFrames(page);
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('typed_now');
  await loupe.request('/api/command-tools/saved_late', { method: 'DELETE', json: {} });
});

test('a tool that another tab has changed, renamed or removed is not overwritten silently', async ({
  page,
  loupe,
}) => {
  const tool = { name: 'shared', description: 'x', parameters: { type: 'object' }, command: ['true'] };
  const elsewhere = (changes: object, replaces?: string) =>
    loupe.request('/api/command-tools', { json: { tool: { ...tool, ...changes }, replaces } });
  await elsewhere({});
  await page.goto('/tools');
  await page.getByRole('button', { name: 'Edit or try shared' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit shared' });
  const description = dialog.getByLabel('Description', { exact: true });
  const save = dialog.getByRole('button', { name: 'Save', exact: true });
  await elsewhere({ description: 'From the other tab' }, 'shared');
  await description.fill('From this tab');
  await save.click();
  await expect(dialog).toContainText('The tool "shared" was changed in the meantime.');
  await expect(dialog).toContainText('Save again to replace it with yours, or cancel to keep it.');
  await expect(description).toHaveValue('From this tab');
  await expect(page.getByText('From the other tab')).toBeAttached();
  await expectAccessible(page);
  await save.click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('From this tab')).toBeVisible();

  await page.getByRole('button', { name: 'Edit or try shared' }).click();
  await loupe.request('/api/command-tools/shared', { method: 'DELETE', json: {} });
  await description.fill('Written again');
  await save.click();
  await expect(dialog).toContainText('It was renamed or removed. Save again to add yours as a new tool.');
  await save.click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Written again')).toBeVisible();
  await loupe.request('/api/command-tools/shared', { method: 'DELETE', json: {} });
});
