import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { endOf, logOf, startRun } from '../runs.ts';

const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });
const calls = (...tool_calls: ReturnType<typeof write>[]) => ({ reply: { tool_calls } });
const done = { reply: { content: 'The task is completed.' } };
const approval = { tools: { write_file: 'ask' } };

test('an approval for the run covers later calls, which say where it was made', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({
    name: 'writes-twice',
    steps: [calls(write('a.txt', 'A.\n')), calls(write('b.txt', 'B.\n')), done],
  });
  const folder = workspace();
  const { id } = await startRun(loupe, { task: 'Write', model: 'writes-twice', workspace: folder, approval });
  const view = new RunView(page);
  await view.open(id);
  const row = view.row('write_file, awaiting approval');
  await expect(page.locator('[data-phase="awaiting-approval"]')).toContainText('Waiting for you');
  await expect(row).toContainText('any call of write_file until the run ends');
  await row.getByRole('button', { name: 'Always in this run' }).click();
  await view.expectEnd('The model answered', 'final_answer');
  const seq = eventsOf(await logOf(loupe, id), 'approval.decided')[0]?.seq;
  await expect(view.row('write_file, succeeded').first()).toContainText('approved by you for this run');
  const second = view.row('write_file, succeeded').nth(1);
  await expect(second).toContainText(`allowed for this run at #${seq}`);
  await expectAccessible(page);
  await second.getByRole('link', { name: `#${seq}` }).click();
  await expect(page).toHaveURL(new RegExp(`#${seq}$`));
  await expect(view.row('write_file, succeeded').first()).toBeFocused();
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('B.\n');
});

test('an approval for the folder covers later runs until it is revoked on the health page', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'writes-plan', steps: [calls(write('plan.txt', 'Keep.\n')), done] });
  const asking = { task: 'Plan the week', model: 'writes-plan', workspace: workspace(), approval };
  const first = await startRun(loupe, asking);
  const view = new RunView(page);
  await view.open(first.id);
  const row = view.row('write_file, awaiting approval');
  await row.getByRole('button', { name: 'Always in this folder' }).click();
  await view.expectEnd('The model answered', 'final_answer');
  const seq = eventsOf(await logOf(loupe, first.id), 'approval.decided')[0]?.seq;

  const second = await startRun(loupe, asking);
  await endOf(loupe, second.id);
  await view.open(second.id);
  const ran = view.row('write_file, succeeded');
  await expect(ran).toContainText('allowed for this folder at');
  await ran.getByRole('link', { name: `#${seq} of another run` }).click();
  await expect(page).toHaveURL(new RegExp(`${first.id}#${seq}$`));

  await page.goto('/health#standing-approvals');
  const list = page.getByRole('region', { name: 'Standing approvals' });
  const line = list.getByRole('listitem').filter({ hasText: asking.workspace });
  await expect(line).toContainText('write_file');
  await expect(line.getByRole('link', { name: 'Plan the week' })).toBeVisible();
  await expectAccessible(page);
  await line.getByRole('button', { name: /^Revoke/ }).click();
  await expect(line).toBeHidden();
  await expect(list.getByRole('heading')).toBeFocused();

  const third = await startRun(loupe, asking);
  await view.open(third.id);
  await view.row('write_file, awaiting approval').getByRole('button', { name: 'Deny', exact: true }).click();
  await page.getByRole('button', { name: 'Deny the call' }).click();
  await endOf(loupe, third.id);
});

test('a folder made for one run and unknown tools offer no approval for the folder', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'asks-oddly',
    steps: [calls(write('a.txt', 'A.'), { ...write('b', 'B'), name: 'launch_rocket' }), done],
  });
  const { id } = await startRun(loupe, { task: 'Try', model: 'asks-oddly', approval: { default: 'ask' } });
  const view = new RunView(page);
  await view.open(id);
  const known = page.getByRole('group', { name: 'Approval of write_file' });
  await expect(known.getByRole('button', { name: 'Always in this run' })).toBeVisible();
  await expect(known.getByRole('button', { name: 'Always in this folder' })).toHaveCount(0);
  const unknown = page.getByRole('group', { name: 'Approval of launch_rocket' });
  await expect(unknown).toContainText('Each call of this tool needs your approval.');
  await expect(unknown.getByRole('button', { name: /^Always/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'Approve all once' }).click();
  await endOf(loupe, id);
});

test('calls are decided by keys, one by one and all at once, but not while typing', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];
  ollama.add({ name: 'writes-four', steps: [calls(...names.map((name) => write(name, name))), done] });
  const folder = workspace();
  const { id } = await startRun(loupe, { task: 'Write', model: 'writes-four', workspace: folder, approval });
  const view = new RunView(page);
  await view.open(id);
  const bar = page.getByRole('region', { name: 'Calls that wait for you' });
  await expect(bar).toContainText('4 calls wait for you');
  await expectAccessible(page);
  await bar.getByRole('button', { name: 'Show the first' }).click();
  await expect(view.row('write_file, awaiting approval').first()).toBeFocused();

  await page.keyboard.press('x');
  await expect(page.getByLabel('Reason')).toBeFocused();
  await page.keyboard.type('a rat ate it');
  await expect(page.getByLabel('Reason')).toHaveValue('a rat ate it');
  await page.getByRole('button', { name: 'Deny the call' }).click();
  await expect(bar).toContainText('3 calls wait for you');
  await expect(view.row('write_file, denied')).toContainText('a rat ate it');

  await view.row('write_file, awaiting approval').first().focus();
  await page.keyboard.press('a');
  await expect(bar).toContainText('2 calls wait for you');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('approve all waiting calls once');
  await page.keyboard.press('Shift+A');
  await page.keyboard.press('Escape');
  await expect(bar).toContainText('2 calls wait for you');
  await page.keyboard.press('Shift+A');
  await view.expectEnd('The model answered', 'final_answer');
  await expect(bar).toBeHidden();
  const log = await logOf(loupe, id);
  expect(eventsOf(log, 'approval.decided').map(({ decision }) => decision)).toEqual([
    'denied',
    ...Array(3).fill('approved'),
  ]);
  expect(eventsOf(log, 'approval.requested')).toHaveLength(4);
});

test('all waiting calls are denied with one reason, which the model reads', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'is-denied-all', steps: [calls(write('a.txt', 'A'), write('b.txt', 'B')), done] });
  const { id } = await startRun(loupe, {
    ...{ task: 'Write', model: 'is-denied-all', workspace: workspace(), approval },
  });
  const view = new RunView(page);
  await view.open(id);
  const bar = page.getByRole('region', { name: 'Calls that wait for you' });
  await bar.getByRole('button', { name: 'Deny all' }).click();
  await bar.getByLabel(/^Reason/).fill('Ask me first.');
  await expectAccessible(page);
  await bar.getByRole('button', { name: 'Deny 2 calls' }).click();
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.row('write_file, denied')).toHaveCount(2);
  await expect(view.row('write_file, denied').last()).toBeFocused();
  expect(JSON.stringify(ollama.chats.at(-1)).split('Ask me first.')).toHaveLength(3);
});

test('a write that waits shows what it changes in the file', async ({ page, loupe, ollama, workspace }) => {
  const folder = workspace();
  const lines = Array.from({ length: 40 }, (_, line) => `Line ${line + 1}`);
  writeFileSync(join(folder, 'plan.txt'), `${lines.join('\n')}\n`);
  const after = `${lines.toSpliced(19, 1, 'Line 20, changed').join('\n')}\n`;
  // Too long to be sent to viewers in full, so it is fetched.
  writeFileSync(join(folder, 'long.txt'), `${'x'.repeat(70_000)}\nLast line\n`);
  ollama.add({
    name: 'changes-a-line',
    steps: [calls(write('plan.txt', after), write('new.txt', 'New.\n'), write('long.txt', 'Short.\n')), done],
  });
  const { id } = await startRun(loupe, {
    task: 'Change',
    model: 'changes-a-line',
    workspace: folder,
    approval,
  });
  const view = new RunView(page);
  await view.open(id);
  await page.getByRole('button', { name: 'Show the first' }).click();
  const diff = page.getByRole('group', { name: 'Changes to plan.txt' });
  await expect(diff).toContainText('Line 20, changed');
  await expect(diff).toContainText('Line 19');
  await expect(diff).not.toContainText('Line 5');
  await expect(page.getByRole('group', { name: 'Changes to new.txt' })).toContainText('New.');
  await page.getByRole('feed').press('End');
  await expect(page.getByRole('group', { name: 'Changes to long.txt' })).toContainText('Last line');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Approve all once' }).click();
  await endOf(loupe, id);
  expect(readFileSync(join(folder, 'plan.txt'), 'utf8')).toBe(after);
});
