import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { delayReply, holdReply } from '../delay-reply.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { twoFrames } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { endOf, logOf, startRun, summaryOf } from '../runs.ts';

const call = {
  reply: {
    tool_calls: [{ name: 'write_file', arguments: { path: 'plan.txt', content: 'Sell everything.\n' } }],
  },
};
const done = { reply: { content: 'The task is completed.' } };
const approval = { tools: { write_file: 'ask' } };

test('the run header has the same height in every phase', async ({ page, loupe, ollama, workspace }) => {
  const path = 'plans/for-the-whole-of-the-summer/with-all-that-belongs-to-it.txt';
  const far = { tool_calls: [{ name: 'write_file', arguments: { path, content: 'Sell everything.' } }] };
  ollama.add({ name: 'long-words', steps: [{ reply: far }, done] });
  const title = 'Plan the whole of the summer with all that belongs to it, and write it down. ';
  const { id } = await startRun(loupe, {
    task: title.repeat(2),
    model: 'long-words',
    workspace: workspace(),
    approval,
  });
  const view = new RunView(page);
  const height = () =>
    page.getByRole('heading', { level: 1 }).evaluate((title) => title.closest('.border-b')?.clientHeight);
  const release = ollama.hold('long-words', { turn: 1 });
  await view.open(id);
  await expect(page.locator('[data-phase="awaiting-approval"]')).toBeVisible();
  const waiting = await height();
  await page.getByRole('button', { name: 'Approve once', exact: true }).click();
  await expect(page.locator('[data-phase="calling"]')).toBeVisible();
  expect(await height()).toBe(waiting);
  release();
  await endOf(loupe, id);
});

test('a call waits until it is approved, using only the keyboard', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'asks-first', steps: [call, done] });
  const folder = workspace();
  const { id } = await startRun(loupe, { task: 'Plan', model: 'asks-first', workspace: folder, approval });
  const view = new RunView(page);
  await view.open(id);
  const row = view.row('write_file, awaiting approval');
  await expect(row).toContainText('Sell everything.');
  await expect(page.locator('[data-phase="awaiting-approval"]')).toContainText('Waiting for you');
  await expectAccessible(page);
  expect(existsSync(join(folder, 'plan.txt'))).toBe(false);

  const list = await page.context().newPage();
  await list.goto('/');
  await expect(list.getByRole('link', { name: /^Plan/ })).toContainText('Waiting for you');
  await list.close();

  await row.getByRole('button', { name: /^write_file/ }).focus();
  const approve = row.getByRole('button', { name: 'Approve once', exact: true });
  // The diff and the arguments come first.
  const isFocused = () => approve.evaluate((button) => button === document.activeElement);
  for (let tabs = 0; tabs < 12 && !(await isFocused()); tabs += 1) await page.keyboard.press('Tab');
  await expect(approve).toBeFocused();
  await page.keyboard.press('Enter');
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.row('write_file, succeeded')).toContainText('approved by you');
  expect(readFileSync(join(folder, 'plan.txt'), 'utf8')).toBe('Sell everything.\n');
});

test('a call runs with edited arguments, and both versions stay visible', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'is-edited', steps: [call, done] });
  const folder = workspace();
  const { id } = await startRun(loupe, { task: 'Plan', model: 'is-edited', workspace: folder, approval });
  const view = new RunView(page);
  await view.open(id);
  const row = view.row('write_file, awaiting approval');
  await row.getByRole('button', { name: 'Edit', exact: true }).click();
  await expect(row.getByLabel('path')).toBeFocused();
  await row.getByLabel('path').fill('../outside.txt');
  await row.getByLabel('content').fill('Keep everything.\n');
  await expectAccessible(page);
  await row.getByLabel('path').fill('kept.txt');
  await row.getByRole('button', { name: 'Run with these arguments' }).click();
  await view.expectEnd('The model answered', 'final_answer');
  const ran = view.row('write_file, succeeded');
  await expect(ran).toContainText('edited by you');
  await ran.getByRole('button', { name: /^write_file/ }).click();
  await expect(ran.getByRole('group', { name: 'Arguments as the model wrote them' })).toContainText(
    'plan.txt',
  );
  await expect(ran.getByRole('group', { name: 'Arguments it ran with, edited by you' })).toContainText(
    'kept.txt',
  );
  expect(readFileSync(join(folder, 'kept.txt'), 'utf8')).toBe('Keep everything.\n');
  expect(existsSync(join(folder, 'plan.txt'))).toBe(false);
});

test('a waiting call is announced although the page shows the run late', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'waits-early', steps: [call, done] });
  const { id } = await startRun(loupe, {
    task: 'Plan',
    model: 'waits-early',
    workspace: workspace(),
    approval,
  });
  await expect.poll(async () => eventsOf(await logOf(loupe, id), 'approval.requested').length).toBe(1);
  // The page shows a run when its summary has come, here after its events.
  await delayReply(page, `/api/runs/${id}`);
  await page.goto(`/runs/${id}`);
  await expect(page.locator('p[aria-live="polite"]')).toHaveText('A call waits for your approval.');
});

test('the answer to a decision does not take the focus from where the reader has moved it', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({
    name: 'asks-thrice',
    steps: [call, { reply: { tool_calls: [...call.reply.tool_calls, ...call.reply.tool_calls] } }, done],
  });
  const { id } = await startRun(loupe, {
    task: 'Plan',
    model: 'asks-thrice',
    workspace: workspace(),
    approval,
  });
  const release = ollama.hold('asks-thrice', { turn: 2 });
  const view = new RunView(page);
  await view.open(id);
  const box = page.getByRole('textbox', { name: 'Message to the agent' });
  for (const button of ['Approve once', 'Approve all once']) {
    const answer = await holdReply(page, `/api/runs/${id}/approvals`, 1);
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await box.click();
    await page.keyboard.type('I ');
    const answered = page.waitForResponse(/\/approvals$/);
    answer();
    await (await answered).finished();
    await twoFrames(page);
    await page.keyboard.type('agree. ');
  }
  await expect(box).toHaveValue('I agree. I agree. ');
  release();
  await endOf(loupe, id);
});

test('the buttons of a decision stay disabled until its event has reached the page, however late it is', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  const both = { reply: { tool_calls: [...call.reply.tool_calls, ...call.reply.tool_calls] } };
  ollama.add({ name: 'asks-for-two', steps: [both, done] });
  const { id } = await startRun(loupe, {
    ...{ task: 'Plan', model: 'asks-for-two', workspace: workspace(), approval },
  });
  const view = new RunView(page);
  await view.open(id);
  await expect(page.getByRole('button', { name: 'Approve all once' })).toBeVisible();
  const run = await summaryOf(loupe, id);
  // The replies name an event that is still on its way.
  await page.route(`**/api/runs/${id}/approvals`, (route) =>
    route.fulfill({ json: { run: { ...run, last_seq: run.last_seq + 1 } } }),
  );
  for (const name of ['Approve once', 'Approve all once']) {
    const button = page.getByRole('button', { name, exact: true }).first();
    const answered = page.waitForResponse(/\/approvals$/);
    await button.click();
    await (await answered).finished();
    await twoFrames(page);
    await expect(button).toBeDisabled();
  }
  await page.unrouteAll();
  await loupe.request(`/api/runs/${id}/stop`, { json: { force: true } });
  await view.expectEnd('The run was stopped', 'stopped');
});

test('a call is denied with a reason, which is sent to the model', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'is-denied', steps: [call, done] });
  const folder = workspace();
  await page.goto('/runs/new');
  await page.getByLabel('What should the agent do?').fill('Plan');
  await page
    .getByRole('radiogroup', { name: 'Model', exact: true })
    .getByText('is-denied:latest', { exact: true })
    .click();
  await page.getByText('An existing folder').click();
  await page.getByLabel('Folder', { exact: true }).fill(folder);
  await page.getByLabel('Work on a copy').uncheck();
  await page.getByRole('radiogroup', { name: 'Calls of write_file' }).getByText('Ask me').click();
  await page.getByRole('button', { name: 'Start run', exact: true }).click();
  const view = new RunView(page);
  const row = view.row('write_file, awaiting approval');
  await expect(page.locator('p[aria-live="polite"]')).toHaveText(/waits for your approval\.$/);
  await row.getByRole('button', { name: 'Deny', exact: true }).click();
  await row.getByLabel('Reason').fill('Never sell.');
  await row.getByRole('button', { name: 'Deny the call' }).click();
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.row('write_file, denied')).toContainText('Never sell.');
  expect(existsSync(join(folder, 'plan.txt'))).toBe(false);
  const id = page.url().split('/').at(-1)?.split('#')[0] ?? '';
  expect(eventsOf(await logOf(loupe, id), 'approval.decided')).toMatchObject([
    { decision: 'denied', reason: 'Never sell.', by: 'operator' },
  ]);
  expect(JSON.stringify(ollama.chats.at(-1))).toContain('Never sell.');
});

test('without confinement every page shows a banner, and each command needs approval', async ({
  ownServer,
  ollama,
}) => {
  ollama.add({
    name: 'unconfined',
    steps: [{ reply: { tool_calls: [{ name: 'run_command', arguments: { command: 'echo free' } }] } }, done],
  });
  const { loupe, page } = await ownServer({ ollamaUrl: ollama.url, env: { LOUPE_UNCONFINED: '1' } });
  const banner = page.getByRole('complementary', { name: 'Warning' });
  for (const path of ['/', '/health', '/models', '/runs/new', '/nowhere']) {
    await page.goto(path);
    await expect(banner).toContainText('Commands run without confinement');
  }
  await page.goto('/runs/new');
  const rules = page.getByRole('radiogroup', { name: 'Calls of run_command' });
  await expect(rules.getByText('Allow', { exact: true })).toBeHidden();
  await expect(rules.getByRole('radio', { name: 'Ask me' })).toBeChecked();
  await expect(page.getByRole('main')).toContainText('each one needs your approval');
  const { id } = await startRun(loupe, { task: 'Say it', model: 'unconfined' });
  const view = new RunView(page);
  await view.open(id);
  await expect(banner).toBeVisible();
  // The banner takes its place from the run, not from below it.
  expect(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight)).toBe(true);
  await view
    .row('run_command, awaiting approval')
    .getByRole('button', { name: 'Approve once', exact: true })
    .click();
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.row('run_command, succeeded')).toBeVisible();
});

test('an approval shows invisible characters, even while the arguments are edited', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  const unseen = [...'; rm -rf ~'].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('');
  const content = `Sell${unseen}\u2062 everything\u115f e${'\u0301'.repeat(200)}`;
  const hidden = { tool_calls: [{ name: 'write_file', arguments: { path: 'plan\ufe01.txt', content } }] };
  ollama.add({ name: 'hides-text', steps: [{ reply: hidden }, done] });
  const { id } = await startRun(loupe, {
    task: 'Plan',
    model: 'hides-text',
    workspace: workspace(),
    approval,
  });
  const view = new RunView(page);
  await view.open(id);
  const panel = page.getByRole('group', { name: 'Approval of write_file' });
  await expect(panel).toContainText('SellTAG ; rm -rf ~U+2062 everythingHCF');
  await expect(panel).toContainText('+192 marks');
  await expect(panel).toContainText('planVS.txt');
  await panel.getByRole('button', { name: 'Edit' }).click();
  await expect(panel).toContainText(
    'invisible characters: TAG ; rm -rf ~ (U+E003B), U+2062 (U+2062), HCF (U+115F), +192 marks',
  );
  await expectAccessible(page);
  await panel.getByRole('textbox', { name: 'content' }).fill('Sell nothing.');
  await panel.getByRole('textbox', { name: 'path' }).fill('plan.txt');
  await expect(panel).not.toContainText('invisible characters');
  await panel.getByRole('button', { name: 'Back' }).click();
  await panel.getByRole('button', { name: 'Approve once' }).click();
  await endOf(loupe, id);
});
