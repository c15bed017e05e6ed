import type { Page } from '@playwright/test';
import { hostileServer, npmServer } from '../../lib/mcp/under-test.ts';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { holdReply } from '../delay-reply.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { addMcpServer } from '../furnish.ts';
import { RunView } from '../run-view.ts';
import { logOf } from '../runs.ts';

const done = { reply: { content: 'The task is completed.' } };
const calls = (name: string, args: Record<string, string | number>) => ({
  reply: { tool_calls: [{ name, arguments: args }] },
});
const server = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const tool = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test.afterEach(async ({ loupe }) => {
  for (const name of ['every_thing', 'files', 'memory', 'shifty']) {
    await loupe.request(`/api/mcp/servers/${name}`, { method: 'DELETE', json: {} });
  }
});

/** A configuration as written by other programs. */
function configuration(): string {
  const { command, args } = npmServer('everything', ['stdio']);
  return JSON.stringify(
    { mcpServers: { 'Every Thing': { command, args, env: { LEVEL: 'none' }, icon: 'x' } } },
    null,
    2,
  );
}

test('a server is pasted, reviewed, started, tried and accepted, and a run calls its tools [O19]', async ({
  page,
  loupe,
  ollama,
}) => {
  await test.step('pasted and reviewed before it starts', async () => {
    await page.goto('/tools');
    await expect(page.getByText('No servers yet.')).toBeVisible();
    await page.getByRole('button', { name: 'Paste or import' }).click();
    await page
      .getByLabel('Configuration', { exact: true })
      .fill('{"mcpServers": {"a": {"type": "sse", "url": "http://x/sse"}}}');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await expect(page.getByText(/old transport "sse"/)).toBeVisible();
    await page.getByLabel('Configuration', { exact: true }).fill(configuration());
    // The event of a browser when choosing a file is cancelled.
    await page.getByLabel('Configuration file').dispatchEvent('cancel', { cancelable: false });
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await expect(page.getByText('Left out: icon')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByLabel('Configuration', { exact: true })).toHaveValue(configuration());
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Review and add every_thing' }).click();
    await expect(page.getByLabel('Name')).toHaveValue('every_thing');
    await expect(page.getByLabel('Folder 1', { exact: true })).toHaveValue(/node_modules|bin/);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add server' }).click();
    // Both dialogs have this button.
    await expect(page.getByRole('dialog', { name: 'Paste or import servers' })).toBeVisible();
    await page.getByRole('button', { name: 'Close' }).click();
    await expect(server(page, 'every_thing')).toContainText('No network access.');
    await expect(server(page, 'every_thing')).toContainText('off');
  });

  await test.step('started, and a tool tried by its form', async () => {
    // The program needs its packages, which the arguments do not name.
    const { server: config } = (await (await loupe.request('/api/mcp/servers/every_thing')).json()) as {
      server: object;
    };
    const { folders } = npmServer('everything');
    await loupe.request('/api/mcp/servers/every_thing', { json: { server: { ...config, folders } } });
    await page.getByRole('button', { name: 'Start every_thing' }).click();
    await expect(server(page, 'every_thing').getByText('ready')).toBeVisible();
    await tool(page, '▸get-sum').or(tool(page, 'get-sum')).click();
    const form = page.getByRole('form', { name: 'Try get-sum' });
    await form.getByRole('button', { name: 'Call' }).click();
    await expect(form.getByText('Enter a value.').first()).toBeVisible();
    await form.getByLabel('a', { exact: true }).fill('40');
    await form.getByLabel('b', { exact: true }).fill('2');
    await form.getByRole('button', { name: 'Call' }).click();
    await expect(form.getByRole('region', { name: 'Result' })).toContainText('The sum of 40 and 2 is 42.');
    await expectAccessible(page);
  });

  await test.step('accepted, chosen in the form of a run, and asked about', async () => {
    await page.getByRole('button', { name: /^Accept \d+ tools$/ }).click();
    await expect(server(page, 'every_thing').getByText('accepted').first()).toBeVisible();
    ollama.add({
      name: 'uses-server',
      steps: [
        calls('every_thing__get_sum', { a: 1, b: 2 }),
        calls('every_thing__echo', { message: 'hi' }),
        done,
      ],
    });
    await page.goto('/runs/new?model=uses-server&task=Add');
    await page.getByRole('button', { name: 'Choose tools of every_thing' }).click();
    const group = page.getByRole('group', { name: 'Tools of every_thing' });
    await group.getByRole('checkbox', { name: /get_sum/ }).check();
    await group.getByRole('checkbox', { name: /echo/ }).check();
    await expect(page.getByText(/^8 tools: about [\d,]+ tokens/)).toBeVisible();
    const rule = page.getByRole('radiogroup', { name: 'Calls of every_thing__get_sum' });
    await expect(rule.getByRole('radio', { name: 'Ask me' })).toBeChecked();
    await page.getByRole('radiogroup', { name: 'Calls of every_thing__echo' }).getByText('Allow').click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Start run', exact: true }).click();
    const view = new RunView(page);
    const asked = view.row('every_thing__get_sum, awaiting approval');
    await expect(asked).toContainText('MCP');
    await asked.getByRole('button', { name: 'Approve once', exact: true }).click();
    await view.expectEnd('The model answered', 'final_answer');
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const results = eventsOf(await logOf(loupe, id), 'tool-call.ended').map(({ result }) => result.output);
    expect(results).toEqual([{ text: 'The sum of 1 and 2 is 3.' }, { text: 'Echo: hi' }]);
    await expect(view.row('every_thing__echo, succeeded')).toContainText('Echo: hi');
  });
});

test('a server that another tab has changed is not overwritten silently', async ({ page, loupe }) => {
  const config = npmServer('memory');
  await loupe.request('/api/mcp/servers', { json: { name: 'memory', server: config } });
  await page.goto('/tools');
  const edit = () => page.getByRole('button', { name: 'Edit memory' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit memory' });
  const timeout = dialog.getByLabel('Call timeout');
  await edit();
  await loupe.request('/api/mcp/servers/memory', { json: { server: { ...config, timeout_seconds: 5 } } });
  await timeout.fill('7');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toContainText('The server "memory" was changed in the meantime.');
  await expect(dialog).toContainText('Save again to replace it with yours, or cancel to keep it.');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await edit();
  await expect(timeout).toHaveValue('5');
  await loupe.request('/api/mcp/servers/memory', { json: { server: { ...config, timeout_seconds: 6 } } });
  await timeout.fill('7');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toContainText('was changed in the meantime.');
  await expect(timeout).toHaveValue('7');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await edit();
  await expect(timeout).toHaveValue('7');
});

test('accepted tools that a server no longer has are removed on the page', async ({ page, loupe }) => {
  await addMcpServer(loupe, 'shrinks', hostileServer('plain'));
  await loupe.request('/api/mcp/servers/shrinks', { json: { server: hostileServer('runs-no-tasks') } });
  await loupe.request('/api/mcp/servers/shrinks/start', { json: {} });
  await page.goto('/tools');
  const tools = page.getByRole('list', { name: 'Tools of shrinks' });
  await expect(tools).toContainText('missing');
  await expect(page.getByText('Runs with them do not start until you remove them.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove 1 tool' }).click();
  await expect(page.getByRole('button', { name: 'Remove 1 tool' })).toBeHidden();
  await expect(tools).not.toContainText('missing');
  await expect(tools).toContainText('new');
  await loupe.request('/api/mcp/servers/shrinks', { method: 'DELETE', json: {} });
});

test('server-filesystem and server-memory work for a run in its folder [O19]', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  const folder = workspace({ 'list.txt': 'milk and bread' });
  await addMcpServer(
    loupe,
    'files',
    npmServer('filesystem', [folder], { folders: [{ path: folder, access: 'read' }] }),
  );
  await addMcpServer(loupe, 'memory', npmServer('memory'));
  ollama.add({
    name: 'two-servers',
    steps: [
      calls('files__read_text_file', { path: `${folder}/list.txt` }),
      calls('memory__search_nodes', { query: 'milk' }),
      done,
    ],
  });
  const answer = await loupe.request('/api/runs', {
    json: {
      task: 'Shop',
      model: 'two-servers',
      workspace: folder,
      tools: ['files__*', 'memory__search_nodes'],
      approval: { tools: { files__read_text_file: 'auto', memory__search_nodes: 'auto' } },
    },
  });
  const { run } = (await answer.json()) as { run: { id: string } };
  const view = new RunView(page);
  await view.open(run.id);
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.row('files__read_text_file, succeeded')).toContainText('milk and bread');
});

test('a server that fails says why, and a tool that changes must be accepted again [O21]', async ({
  page,
  loupe,
}) => {
  await addMcpServer(loupe, 'shifty', hostileServer('plain'));
  await page.goto('/tools');
  await expect(server(page, 'shifty').getByText('accepted')).toBeVisible();
  const update = (behavior: string) =>
    loupe.request('/api/mcp/servers/shifty', { json: { server: hostileServer(behavior) } });
  await update('exits-with-words');
  await page.reload();
  await page.getByRole('button', { name: 'Start shifty' }).click();
  await expect(server(page, 'shifty').getByText('failed')).toBeVisible();
  await expect(server(page, 'shifty')).toContainText('ended by itself with exit code 1');
  await expect(server(page, 'shifty')).toContainText('Missing module "left-pad"');
  await expectAccessible(page);
  await update('changes-tools');
  await page.getByRole('button', { name: 'Start shifty' }).click();
  await expect(server(page, 'shifty').getByText('changed', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'act', exact: true }).click();
  await expect(server(page, 'shifty')).toContainText('Description that you accepted');
  await expect(server(page, 'shifty')).toContainText('It reads.');
  const refused = await loupe.request('/api/runs', {
    json: { task: 'x', model: 'wide-window', tools: ['shifty__act'] },
  });
  const { run } = (await refused.json()) as { run: { id: string } };
  await new RunView(page).open(run.id);
  await expect(page.getByText(/describes these tools differently/).first()).toBeVisible();
  await page.goto('/tools');
  await page.getByRole('button', { name: 'Accept 1 tool' }).click();
  await expect(server(page, 'shifty').getByText('accepted', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Disable shifty' }).click();
  await expect(server(page, 'shifty').getByText('disabled')).toBeVisible();
  await page.getByRole('button', { name: 'Remove shifty' }).click();
  await page.getByRole('button', { name: 'Remove shifty' }).click();
  await expect(page.getByText('No servers yet.')).toBeVisible();
});

test('disabling a server keeps a configuration that another tab has saved', async ({ page, loupe }) => {
  const config = (path: string) => ({ type: 'http', url: `http://127.0.0.1:9/${path}` });
  await loupe.request('/api/mcp/servers', { json: { name: 'memory', server: config('first') } });
  await page.goto('/tools');
  const disable = page.getByRole('button', { name: 'Disable memory' });
  await expect(disable).toBeVisible();
  const release = await holdReply(page, '/api/mcp/servers');
  await loupe.request('/api/mcp/servers/memory', { json: { server: config('second') } });
  await disable.click();
  const stored = async () => (await (await loupe.request('/api/mcp/servers/memory')).json()).server;
  await expect.poll(stored).toMatchObject({ ...config('second'), enabled: false });
  release();
  await expect(page.getByRole('button', { name: 'Enable memory' })).toBeVisible();
});
