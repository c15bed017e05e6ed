import type { Locator, Page } from '@playwright/test';
import type { RunReply } from '../../lib/api/replies.ts';
import type { FakeOllama } from '../../lib/demo/fake-ollama.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import type { LoupeServer } from '../loupe-server.ts';
import { misfits } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { finishRun } from '../runs.ts';

interface Parts {
  loupe: LoupeServer;
  ollama: FakeOllama;
  workspace: (files?: Record<string, string>) => string;
}

/** A run with two calls, whose model reads another file on request. */
async function reportRun({ loupe, ollama, workspace }: Parts): Promise<string> {
  const read = (path: string) => ({ name: 'read_file', arguments: { path } });
  ollama.add({
    name: 'reporter',
    model: 'reporter:1b',
    match: 'the summary',
    steps: [
      {
        reply: {
          content: `<tool_call>{"name": "read_file", "arguments": {"path": "summary.md"}}</tool_call>`,
        },
      },
      { reply: { content: 'The summary says: all is well.' } },
    ],
  });
  ollama.add({
    name: 'reporter-first',
    model: 'reporter:1b',
    steps: [
      { reply: { content: 'I read it.', tool_calls: [read('report.md')] } },
      { reply: { content: 'The report says: 4, 8, 15.' } },
    ],
  });
  const files = { 'report.md': '4, 8, 15', 'summary.md': 'All is well.' };
  const run = await finishRun(loupe, {
    task: 'Read the report',
    model: 'reporter:1b',
    workspace: workspace(files),
  });
  return run.id;
}

async function openEditor(page: Page, runId: string, call = 1): Promise<Locator> {
  const view = new RunView(page);
  await view.open(runId);
  const row = await view.reveal(view.row(`Model call ${call}`));
  await row
    .getByRole('button', { name: /^Model call/ })
    .first()
    .click();
  await row.getByRole('button', { name: 'Re-run this call' }).click();
  const dialog = page.getByRole('dialog', { name: `Re-run model call ${call}` });
  await expect(dialog.getByRole('region', { name: 'Messages' })).toBeVisible();
  // In a dialog that is as high as its content, Safari treats a basis of 0% as no height at all.
  for (const part of ['form', 'form > div']) {
    await expect(dialog.locator(part).first()).toHaveCSS('flex-basis', 'auto');
  }
  return dialog;
}

test('a person sends a call again with another message, compares the replies, and keeps one as a fork', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  const runId = await reportRun({ loupe, ollama, workspace });
  const log = await (await loupe.request(`/api/runs/${runId}/log?format=events`)).text();
  const dialog = await openEditor(page, runId);
  await expect(dialog).toContainText('The request as it was sent');
  await expectAccessible(page);

  const messages = dialog.getByRole('region', { name: 'Messages' });
  await messages.getByRole('button', { name: /user Read the report/ }).click();
  await messages.getByLabel('Text of message 2').fill('Read the summary');
  await expect(dialog).toContainText('1 change');
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();

  const replies = dialog.getByRole('region', { name: 'Replies' });
  const original = replies.getByRole('region', { name: 'Original reply' });
  const first = replies.getByRole('region', { name: 'Try 1' });
  await expect(first).toContainText('summary.md');
  await expect(first.getByRole('group', { name: 'How the reply was parsed' })).toContainText(
    'Taken as 1 tool call',
  );
  await expect(original).toContainText('report.md');
  await expect(original.getByRole('group', { name: 'Tokens and times' })).toContainText('tokens written');
  await expect(first.getByRole('group', { name: 'Tokens and times' })).toContainText('window 32,768');
  await expect(replies.getByRole('region', { name: 'Differences' })).toContainText('summary.md');
  await expectAccessible(page);

  // Again, without tools: the reply is compared with the first try.
  const tools = dialog.getByRole('region', { name: 'Tools', exact: true });
  for (const box of await tools.getByRole('checkbox').all()) await box.uncheck();
  await dialog.getByLabel('Seed').fill('7');
  await dialog.getByRole('button', { name: 'Send again' }).click();
  const second = replies.getByRole('region', { name: 'Try 2' });
  await expect(second).toContainText('summary.md');
  await expect(replies.getByRole('button', { name: /^Try 2/ })).toContainText(
    'changed: messages, offered tools, seed',
  );
  await expect(dialog.getByRole('button', { name: 'Keep as a fork' })).toBeDisabled();
  await expect(replies).toContainText('A fork offers the tools of its run.');
  await replies.getByLabel('Compare with').selectOption('Try 1');
  await expect(replies.getByRole('region', { name: 'Try 1' })).toBeVisible();
  await expect(original).toHaveCount(0);

  // Tries stay listed when the editor is closed.
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await page.getByRole('button', { name: 'Re-run call 1' }).click();
  await replies.getByRole('button', { name: /^Try 1/ }).click();
  await expect(first).toContainText('summary.md');
  expect(await (await loupe.request(`/api/runs/${runId}/log?format=events`)).text()).toBe(log);

  await dialog.getByRole('button', { name: 'Keep as a fork' }).click();
  await expect(page).not.toHaveURL(new RegExp(runId));
  const view = new RunView(page);
  await expect(view.end).toContainText('The summary says: all is well.');
  const forkId = new URL(page.url()).pathname.split('/').at(-1);
  const { run } = (await (await loupe.request(`/api/runs/${forkId}`)).json()) as RunReply;
  expect(run.parent?.run_id).toBe(runId);
});

test('wrong input is named where it is, and a call under way can be cancelled', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  const runId = await reportRun({ loupe, ollama, workspace });
  const dialog = await openEditor(page, runId, 2);
  const tools = dialog.getByRole('region', { name: 'Tools', exact: true });
  await tools.getByRole('button', { name: 'Edit read_file' }).click();
  await tools.getByLabel('Definition of read_file (JSON)').fill('{"name": "read_file", "parameters": ');
  const messages = dialog.getByRole('region', { name: 'Messages' });
  await messages.getByRole('button', { name: 'Add a message', exact: true }).click();
  await dialog.getByLabel('Temperature').fill('warm');
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(tools).toContainText('Not JSON: ');
  await expect(messages).toContainText('Write a text, or remove the message.');
  await expect(dialog).toContainText('A number from 0 to 5.');
  await expect(dialog).toContainText('Some fields need correction');
  await expectAccessible(page);
  await tools.getByRole('button', { name: 'Undo changes' }).click();
  await messages.getByRole('button', { name: 'Remove message 5' }).click();
  await dialog.getByLabel('Temperature').fill('');

  const release = ollama.hold('reporter-first', { turn: 1 });
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(dialog.locator('footer')).toContainText('Reading the prompt');
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(dialog.getByRole('region', { name: 'Try 1' })).toContainText('Cancelled');
  release();
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await expect(dialog.getByRole('region', { name: 'Try 2' })).toContainText('The report says: 4, 8, 15.');
  await expect(dialog.getByRole('region', { name: 'Differences' })).toContainText('are the same');
});

test('the editor works by keyboard alone and fits 360 pixels', async ({ page, loupe, ollama, workspace }) => {
  const runId = await reportRun({ loupe, ollama, workspace });
  await page.setViewportSize({ width: 360, height: 740 });
  const view = new RunView(page);
  await view.open(runId);
  const row = await view.reveal(view.row('Model call 1'));
  // Narrow rows have it in their details only.
  await row
    .getByRole('button', { name: /^Model call/ })
    .first()
    .focus();
  await page.keyboard.press('Enter');
  const button = row.getByRole('button', { name: 'Re-run this call' });
  await button.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Re-run model call 1' });
  const message = dialog.getByRole('button', { name: /user Read the report/ });
  await message.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(dialog.getByLabel('Role of message 2')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Read the summary');
  await dialog.getByLabel('Seed').focus();
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('region', { name: 'Try 1' })).toContainText('summary.md');
  await expect.poll(() => misfits(page)).toEqual({ overflow: 0, outside: [], sideways: [] });
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(button).toBeFocused();
});

test('an imported run says when its model is not installed here, and another model answers', async ({
  page,
  loupe,
  ollama,
  workspace,
  ownServer,
}) => {
  const runId = await reportRun({ loupe, ollama, workspace });
  const file = await (await loupe.request(`/api/runs/${runId}/export?format=run`)).text();
  const gone = await ownServer({ ollamaUrl: ollama.url });
  await gone.page.goto('/');
  await gone.page.getByLabel('Run file').setInputFiles({
    name: 'run.jsonl',
    mimeType: 'application/jsonl',
    buffer: Buffer.from(file.replaceAll('reporter:1b', 'elsewhere:70b')),
  });
  await expect(new RunView(gone.page).end).toBeVisible();
  await page.close();
  const dialog = await openEditor(gone.page, runId);
  await expect(dialog).toContainText('elsewhere:70b is not installed here.');
  await expect(dialog.getByRole('button', { name: 'Send', exact: true })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Model elsewhere:70b' }).click();
  await dialog.getByRole('radio', { name: /reporter:1b/ }).check();
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(dialog.getByRole('region', { name: 'Try 1' })).toContainText('report.md');
});
