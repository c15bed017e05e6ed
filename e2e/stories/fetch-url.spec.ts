import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { logOf } from '../runs.ts';

const done = { reply: { content: 'The task is completed.' } };
const fetching = (url: string) => ({ reply: { tool_calls: [{ name: 'fetch_url', arguments: { url } }] } });

let server: Server;
let host: string;

test.beforeAll(async () => {
  server = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<title>The guide</title><h1>Install</h1><p>Run <b>it</b>.</p><script>alert(1)</script>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});

test.afterAll(() => {
  server.close();
});

test('a run reads a page of a listed host after asking, and of no other [O28]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'reads-pages',
    steps: [fetching(`http://${host}/guide`), fetching('http://169.254.169.254/latest/'), done],
  });
  await page.goto('/runs/new?model=reads-pages&task=Read');
  const tools = page.getByRole('group', { name: 'Offered tools' });
  const hosts = page.getByLabel('Hosts for fetch_url');
  await expect(hosts).toHaveCount(0);
  await tools.getByLabel('fetch_url').check();
  await expect(page.getByText(/^7 tools: /)).toBeVisible();
  const rule = page.getByRole('radiogroup', { name: 'Calls of fetch_url' });
  await expect(rule.getByRole('radio', { name: 'Ask me' })).toBeChecked();
  await page.getByRole('button', { name: 'Start run', exact: true }).click();
  await expect(page.getByText('List the hosts that fetch_url may contact.')).toBeVisible();
  await hosts.fill('https://docs.example.com/');
  await expect(page.getByText(/is not a host/)).toBeVisible();
  await hosts.fill(host);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Start run', exact: true }).click();

  const view = new RunView(page);
  const asked = view.row('fetch_url, awaiting approval');
  await expect(asked).toContainText(`http://${host}/guide`);
  await asked.getByRole('button', { name: 'Always in this run', exact: true }).click();
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.row('fetch_url, succeeded')).toContainText('The guide');
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const [read, refused] = eventsOf(await logOf(loupe, id), 'tool-call.ended').map(({ result }) => result);
  expect(read).toMatchObject({
    success: true,
    output: { url: `http://${host}/guide`, status: 200, type: 'text/html', title: 'The guide' },
  });
  expect(JSON.stringify(read)).not.toContain('alert');
  expect(refused).toMatchObject({
    success: false,
    output: { error: expect.stringContaining('may not fetch from 169.254.169.254') },
  });
});
