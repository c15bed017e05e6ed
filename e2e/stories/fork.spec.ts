import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunReply } from '../../lib/api/replies.ts';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { endOf, finishRun, logOf, startRun } from '../runs.ts';

const read = { reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'plan.txt' } }] } };
const write = {
  reply: { tool_calls: [{ name: 'write_file', arguments: { path: 'out.txt', content: 'Done.\n' } }] },
};
const done = { reply: { content: 'The task is completed.' } };

test('a run can be forked with an edited result; the original is not changed', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'forked', steps: [read, write, done] });
  const folder = workspace({ 'plan.txt': 'Sell everything.\n' });
  const { id } = await finishRun(loupe, { task: 'Follow the plan', model: 'forked', workspace: folder });
  const before = await logOf(loupe, id);
  const view = new RunView(page);
  await view.open(id);
  const row = view.row('read_file, succeeded');
  await row.hover();
  await row.getByRole('button', { name: 'Fork after the result of read_file' }).click();
  const dialog = page.getByRole('dialog', { name: 'Fork after the result of read_file' });
  const text = dialog.getByRole('textbox', { name: 'result of read_file' });
  await expect(text).toBeFocused();
  // In a dialog that is as high as its content, Safari treats a basis of 0% as no height at all.
  for (const part of ['form', 'form > div']) {
    await expect(dialog.locator(part).first()).toHaveCSS('flex-basis', 'auto');
  }
  await expect(text).toHaveValue(/Sell everything\./);
  await expect(dialog).toContainText('A copy of the current files');
  await expectAccessible(page);
  await text.fill('Keep everything.');
  await text.press('Enter');
  await page.keyboard.press('Escape');
  await expect(text).toHaveValue('Keep everything.\n');
  await dialog.getByLabel('Temperature').fill('0.5');
  await dialog.getByLabel('Thinking').selectOption('Low');
  await dialog.getByLabel('Window').fill('16384');
  await dialog.getByLabel('Reply limit').fill('5000');
  await expect(dialog).toContainText('5 changes');
  await dialog.getByRole('button', { name: 'Start the fork' }).click();
  await expect(page).not.toHaveURL(new RegExp(id));

  await view.expectEnd('The model answered', 'final_answer');
  const fork = page.url().split('/').at(-1)?.split('#')[0] ?? '';
  expect(fork).not.toBe(id);
  const forked = page.getByRole('region', { name: 'Forked here' });
  await view.reveal(forked);
  await expect(forked.getByRole('group', { name: 'Result of read_file edited' })).toContainText(
    'Keep everything.',
  );
  await expect(forked).toContainText('temperature');
  await expectAccessible(page);
  expect(await logOf(loupe, id)).toEqual(before);
  const log = await logOf(loupe, fork);
  const [created] = eventsOf(log, 'run.created');
  expect(created?.parent?.run_id).toBe(id);
  expect(JSON.stringify(ollama.chats.at(-1))).toContain('Keep everything.');
  expect(ollama.chats.at(-1)).toMatchObject({
    think: 'low',
    options: { num_ctx: 16_384, num_predict: 5000, temperature: 0.5 },
  });
  // The copy of the folder is the fork's own.
  expect(created?.config.workspace).not.toBe(folder);
  expect(readdirSync(folder).sort()).toEqual(['out.txt', 'plan.txt']);
  expect(readFileSync(join(created?.config.workspace ?? '', 'plan.txt'), 'utf8')).toBe('Sell everything.\n');

  // One click goes back to the original at the divergence, and from there to the fork.
  const branches = page.getByRole('navigation', { name: 'Forks' });
  await branches.getByRole('link', { name: 'Original', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`${id}#\\d+$`));
  await branches.getByRole('link', { name: 'Fork 1' }).click();
  await expect(page).toHaveURL(new RegExp(`${fork}#\\d+$`));
});

test('a run can be forked before the failure that ended it, with a hint', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'repeats', steps: [read, read, read, read, done] });
  ollama.add({ name: 'answers', steps: [read, done] });
  const folder = workspace({ 'plan.txt': 'Sell.\n' });
  const { id } = await finishRun(loupe, { task: 'Read', model: 'repeats', workspace: folder });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model kept making the same call', 'repetition');
  const more = await view.openMenu('More');
  await expect(more.getByRole('button', { name: /Run again at temperature/ })).toBeVisible();
  await more.getByRole('button', { name: 'Fork before the failure' }).click();
  const dialog = page.getByRole('dialog', { name: 'Fork before iteration 2' });
  await dialog.getByLabel('Message to the model').fill('You have read it. Answer.');
  await dialog.getByLabel('Model', { exact: true }).selectOption('answers:latest');
  await dialog.getByText('The same folder').click();
  await dialog.getByRole('button', { name: 'Start the fork' }).click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await view.expectEnd('The model answered', 'final_answer');
  await expect(page.getByText('You have read it. Answer.')).toBeVisible();
});

test('a run at its limit continues the conversation with more iterations', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'too-short', steps: [read, write, done] });
  const folder = workspace({ 'plan.txt': 'Sell.\n' });
  const { id } = await finishRun(loupe, {
    task: 'Go',
    model: 'too-short',
    workspace: folder,
    max_iterations: 1,
  });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The iteration limit was reached', 'max_iterations');
  await view.end.getByRole('button', { name: 'Continue with 5 more' }).click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await view.expectEnd('The model answered', 'final_answer');
  expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('Done.\n');
});

test('a fork runs a call with edited arguments', async ({ page, loupe, ollama, workspace }) => {
  ollama.add({ name: 'other-file', steps: [read, done] });
  const folder = workspace({ 'plan.txt': 'Sell.\n', 'other.txt': 'Keep the other.\n' });
  const { id } = await finishRun(loupe, { task: 'Read', model: 'other-file', workspace: folder });
  const view = new RunView(page);
  await view.open(id);
  const row = view.row('read_file, succeeded');
  await row.getByRole('button', { name: /^read_file/ }).click();
  await row.getByRole('button', { name: 'Fork with other arguments' }).click();
  const dialog = page.getByRole('dialog', { name: 'Fork before read_file' });
  const path = dialog.getByRole('textbox', { name: 'read_file: path' });
  await expect(path).toBeFocused();
  await expect(path).toHaveValue('plan.txt');
  await expectAccessible(page);

  await test.step('what does not fit the tool is said', async () => {
    await dialog.getByRole('button', { name: /^read_file: start_line, left out/ }).click();
    const line = dialog.getByRole('textbox', { name: 'read_file: start_line, left out' });
    await line.fill('first');
    await dialog.getByRole('button', { name: 'Start the fork' }).click();
    await expect(dialog.getByText('Not JSON')).toBeVisible();
    await line.fill('0');
    await dialog.getByRole('button', { name: 'Start the fork' }).click();
    await expect(dialog.getByRole('alert')).toContainText('start_line');
    await line.fill('');
  });

  await path.fill('other.txt');
  await expect(dialog).toContainText('1 change');
  await dialog.getByRole('button', { name: 'Start the fork' }).click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await view.expectEnd('The model answered', 'final_answer');
  const forked = page.getByRole('region', { name: 'Forked here' });
  await view.reveal(forked);
  await expect(forked.getByRole('group', { name: 'Arguments of read_file edited' })).toContainText(
    'other.txt',
  );
  await expect(view.row('read_file, succeeded')).toContainText('other.txt');
  await expect(view.row('read_file, succeeded').getByText('edited in the fork')).toBeVisible();
  expect(JSON.stringify(ollama.chats.at(-1))).toContain('Keep the other.');
  expect(JSON.stringify(await logOf(loupe, id))).not.toContain('Keep the other.');
});

test('continuing with a hint extends the conversation; the original is not changed', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'needs-a-hint', steps: [read, read, read, done] });
  const folder = workspace({ 'plan.txt': 'Sell.\n' });
  const { id } = await finishRun(loupe, { task: 'Read', model: 'needs-a-hint', workspace: folder });
  const before = await logOf(loupe, id);
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model kept making the same call', 'repetition');
  await view.end.getByRole('button', { name: 'Continue with a hint' }).click();
  const hint = view.end.getByLabel('What should it know?');
  await expect(hint).toBeFocused();
  await expect(hint).toHaveAccessibleDescription(/continues, in the same folder.*stays\s+as it is/);
  await expectAccessible(page);
  await hint.fill('You have read it. Answer.');
  await view.end.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await expect(view.connection('Complete')).toBeVisible();
  const forked = page.getByRole('region', { name: 'Forked here' });
  await view.reveal(forked);
  await expect(forked).toContainText('The conversation continues with a new message.');
  await expect(page.getByText('You have read it. Answer.').first()).toBeAttached();
  const sent = JSON.stringify(ollama.chats.at(-1)?.messages);
  const roles = [...sent.matchAll(/"role":"(\w+)"/g)].map(([, role]) => role);
  expect(roles.slice(0, 7)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool', 'user']);
  expect(sent).toContain('You have read it. Answer.');
  expect(await logOf(loupe, id)).toEqual(before);
});

test('a quick prompt continues with a message', async ({ page, loupe, ollama }) => {
  ollama.add({
    name: 'talks',
    steps: [{ reply: { content: 'Forty-two.' } }, { reply: { content: 'Because.' } }],
  });
  const { id } = await finishRun(loupe, { task: 'What?', model: 'talks', agentic: false });
  const view = new RunView(page);
  await view.open(id);
  await view.end.getByRole('button', { name: 'Continue with a message' }).click();
  await view.end.getByLabel('What do you want to say?').fill('Why?');
  await view.end.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await expect(view.end.getByText('Because.')).toBeVisible();
  expect(JSON.stringify(ollama.chats.at(-1)?.messages)).toMatch(/What\?.*Forty-two\..*Why\?/);
});

test('an exploration can be forked before a cycle, with an edited memory', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'remembers',
    steps: [
      { reply: { tool_calls: [{ name: 'write', arguments: { key: 'idea', value: 'clouds' } }] } },
      { reply: { content: 'I stored an idea.' } },
      { reply: { tool_calls: [{ name: 'read', arguments: { key: 'idea' } }] } },
      { reply: { content: 'I read it.' } },
    ],
  });
  const { id } = await finishRun(loupe, { mode: 'explore', model: 'remembers', max_cycles: 2 });
  const view = new RunView(page);
  await view.open(id);
  const heading = view.timeline.getByRole('article').filter({ hasText: 'Cycle 2' }).first();
  await view.reveal(heading);
  await heading.hover();
  await heading.getByRole('button', { name: 'Fork before cycle 2' }).click();
  const dialog = page.getByRole('dialog', { name: 'Fork before cycle 2' });
  const memory = dialog.getByRole('region', { name: 'Memory' });
  await memory.getByRole('button', { name: 'idea clouds' }).click();
  await memory.getByRole('textbox', { name: 'idea', exact: true }).fill('stones');
  await dialog.getByRole('button', { name: 'Start the fork' }).click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await expect(view.end).toBeVisible();
  const fork = page.url().split('/').at(-1)?.split('#')[0] ?? '';
  const results = eventsOf(await logOf(loupe, fork), 'tool-call.ended').map(({ result }) => result.output);
  expect(JSON.stringify(results.at(-1))).toContain('stones');
});

test('the API forks once per idempotency key, and refuses a point with an operation in progress', async ({
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'by-script', steps: [read, done] });
  const folder = workspace({ 'plan.txt': 'Sell.\n' });
  const { id } = await startRun(loupe, { task: 'Read', model: 'by-script', workspace: folder });
  await endOf(loupe, id);
  const fork = async (body: object) => {
    const answer = await loupe.request(`/api/runs/${id}/fork`, {
      json: body,
      headers: { 'idempotency-key': 'one-fork' },
    });
    return { status: answer.status, body: (await answer.json()) as RunReply & { error: { code: string } } };
  };
  const body = { at: { before_iteration: 2 }, message: 'Briefly.' };
  const first = await fork(body);
  expect(first.status).toBe(201);
  expect(await fork(body)).toMatchObject({ status: 200, body: { run: { id: first.body.run.id } } });
  await endOf(loupe, first.body.run.id);
  const [started] = eventsOf(await logOf(loupe, id), 'tool-call.started');
  expect(await fork({ at: { seq: started?.seq } })).toMatchObject({
    status: 409,
    body: { error: { code: 'fork_point_open' } },
  });
});
