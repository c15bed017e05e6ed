import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import { endOf, logOf, startRun, summaryOf } from '../../e2e/runs.ts';
import type { ErrorReply } from '../api/error-reply.ts';
import type { McpServerReply, StdioServer } from '../api/mcp.ts';
import type { ToolsReply } from '../api/tools.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { hostileServer, npmServer } from '../mcp/under-test.ts';
import { openSandbox } from '../sandbox/probe.ts';
import { eventsOf } from '../testing/events-of.ts';
import { toolsToAccept } from '../testing/tools-to-accept.ts';

const SECRET = 'planted-0b51c7e2-secret';
const confined = (await openSandbox()).report.available;
const done = { reply: { content: 'The task is completed.' } };
const calls = (name: string, args: Record<string, string | number> = {}) => ({
  reply: { tool_calls: [{ name, arguments: args }] },
});

let ollama: FakeOllama;
let loupe: LoupeServer;
let folder: string;
const env = { SECRET_OF_TESTS: SECRET, ...(confined ? {} : { LOUPE_UNCONFINED: '1' }) };

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'loupe-mcp-runs-')));
  ollama = await startFakeOllama({ record: true });
  loupe = await startLoupe({ ollamaUrl: ollama.url, env });
});
afterAll(async () => {
  await loupe.dispose();
  await ollama.close();
  rmSync(folder, { recursive: true, force: true });
});

async function post<Reply>(path: string, json: unknown = {}): Promise<Reply> {
  const answer = await loupe.request(path, { json });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return (await answer.json()) as Reply;
}

/** Adds a server, starts it, and accepts its usable tools. */
async function add(name: string, server: StdioServer): Promise<McpServerReply> {
  const path = `/api/mcp/servers/${name}`;
  await post('/api/mcp/servers', { name, server });
  await post(`${path}/start`);
  await expect
    .poll(async () => ((await (await loupe.request(path)).json()) as McpServerReply).state, {
      timeout: 20_000,
    })
    .toBe('ready');
  const reply = (await (await loupe.request(path)).json()) as McpServerReply;
  return post(`${path}/accept`, { tools: toolsToAccept(reply) });
}

it('runs call the tools of servers, and no secret of a server leaves it [O22]', async () => {
  const api = { API_KEY: '$' + '{SECRET_OF_TESTS}', OTHER_TOKEN: `literal-${SECRET}` };
  await add('everything', npmServer('everything', ['stdio'], { env: api }));
  const { servers } = (await (await loupe.request('/api/tools')).json()) as ToolsReply;
  expect(servers).toMatchObject([{ server: 'everything', tools: expect.any(Array) }]);
  ollama.add({
    name: 'calls-servers',
    steps: [
      calls('everything__get_env'),
      calls('everything__get_sum', { a: 20, b: 22 }),
      calls('everything__get_sum', { a: 'no number', b: 22 }),
      calls('everything__get_tiny_image'),
      done,
    ],
  });
  const { id } = await startRun(loupe, {
    task: 'Add',
    model: 'calls-servers',
    tools: ['read_file', 'everything__*'],
    approval: { tools: Object.fromEntries(servers[0]?.tools.map(({ name }) => [name, 'auto']) ?? []) },
  });
  expect((await endOf(loupe, id)).termination_reason).toBe('final_answer');
  const events = await logOf(loupe, id);
  expect(eventsOf(events, 'preflight.checked')[0]?.mcp_servers).toMatchObject([{ server: 'everything' }]);
  const results = eventsOf(events, 'tool-call.ended').map(({ result }) => result);
  expect(results).toMatchObject([
    { success: true },
    { success: true, output: { text: 'The sum of 20 and 22 is 42.' } },
    { success: false, output: { error: expect.stringContaining('"a" must be a number') } },
    { success: true, output: { text: expect.stringContaining('[Image: image/png') } },
  ]);
  expect(JSON.stringify(ollama.chats)).not.toContain(SECRET);
  const share = await post<{ share: { url: string } }>(`/api/runs/${id}/shares`, {
    scope: 'everything',
    live: false,
  });
  const shared = await (await fetch(share.share.url)).text();
  expect(shared).toContain('The sum of 20 and 22 is 42.');
  const sharedEvents = await (await fetch(`${share.share.url}/events`)).text();
  const everything = await Promise.all(
    ['log', 'export', 'export.html', 'export.md'].map(async (kind) =>
      (await loupe.request(`/api/runs/${id}/${kind}`)).text(),
    ),
  );
  const listed = await (await loupe.request('/api/mcp/servers')).text();
  for (const text of [shared, sharedEvents, ...everything, listed, loupe.output()]) {
    expect(text).not.toContain(SECRET);
  }
  expect(everything.join()).toContain('[secret SECRET_OF_TESTS]');
}, 120_000);

it('asks before a call unless the server is trusted, and a run can choose tools one by one', async () => {
  ollama.add({ name: 'asks', steps: [calls('everything__echo', { message: 'hi' }), done] });
  const { id } = await startRun(loupe, { task: 'Say', model: 'asks', tools: ['everything__echo'] });
  await expect
    .poll(async () => (await summaryOf(loupe, id)).phase, { timeout: 20_000 })
    .toBe('awaiting-approval');
  const [request] = eventsOf(await logOf(loupe, id), 'approval.requested');
  expect(request).toMatchObject({ tool: 'everything__echo', scopes: ['once', 'run'] });
  expect(ollama.chats.at(-1)?.tools).toMatchObject([{ function: { name: 'everything__echo' } }]);
  await post(`/api/runs/${id}/approvals`, { call_id: request?.call_id, decision: 'approved' });
  await endOf(loupe, id);
  expect(eventsOf(await logOf(loupe, id), 'tool-call.ended')[0]?.result.output).toEqual({ text: 'Echo: hi' });
});

it('refuses tools that no server has, and ends a run whose server is gone', async () => {
  const refuse = async (json: Record<string, unknown>) => {
    const answer = await loupe.request('/api/runs', { json: { task: 'x', model: 'asks', ...json } });
    return [answer.status, ((await answer.json()) as ErrorReply).error.message];
  };
  expect(await refuse({ tools: ['nobody__echo'] })).toEqual([
    400,
    expect.stringContaining('no enabled server "nobody"'),
  ]);
  expect(await refuse({ tools: ['everything__ecko'] })).toEqual([
    400,
    expect.stringContaining('Did you mean everything__echo?'),
  ]);
  expect(await refuse({ approval: { tools: { everything__echo: 'auto' } } })).toEqual([
    400,
    expect.stringContaining('has no effect'),
  ]);
  await add('shaky', hostileServer('plain'));
  await post('/api/mcp/servers/shaky', { server: hostileServer('exits-with-words') });
  const { id } = await startRun(loupe, { task: 'x', model: 'asks', tools: ['shaky__act'] });
  const ended = await endOf(loupe, id);
  expect(ended.termination_reason).toBe('error');
  expect(JSON.stringify(eventsOf(await logOf(loupe, id), 'run.ended'))).toContain('did not start');
});

it('a call that ran when Loupe was killed is reported as interrupted, and never repeated [O19]', async () => {
  const file = join(folder, 'effects');
  writeFileSync(file, '');
  const server = hostileServer('acts-and-hangs', [file], {
    folders: [{ path: folder, access: 'write' }],
    timeout_seconds: 600,
  });
  await add('actor', server);
  ollama.add({ name: 'acts', steps: [calls('actor__act'), done] });
  const { id } = await startRun(loupe, {
    task: 'Act',
    model: 'acts',
    tools: ['actor__act'],
    approval: { tools: { actor__act: 'auto' } },
  });
  await expect.poll(() => readFileSync(file, 'utf8'), { timeout: 20_000 }).toBe('acted\n');
  await loupe.stop('SIGKILL');
  loupe = await startLoupe({ ollamaUrl: ollama.url, env, dataDir: loupe.dataDir, port: loupe.port });
  expect((await endOf(loupe, id)).termination_reason).toBe('final_answer');
  const events = await logOf(loupe, id);
  expect(eventsOf(events, 'tool-call.started')).toHaveLength(1);
  expect(eventsOf(events, 'tool-call.interrupted')).toMatchObject([
    { tool: 'actor__act', result: { success: false } },
  ]);
  expect(readFileSync(file, 'utf8')).toBe('acted\n');
}, 120_000);

it('a forced stop cancels a call', async () => {
  const file = join(folder, 'effects-2');
  writeFileSync(file, '');
  const server = hostileServer('acts-and-hangs', [file], {
    folders: [{ path: folder, access: 'write' }],
    timeout_seconds: 600,
  });
  await add('slow_actor', server);
  ollama.add({ name: 'stopped', steps: [calls('slow_actor__act'), done] });
  const { id } = await startRun(loupe, {
    task: 'Act',
    model: 'stopped',
    tools: ['slow_actor__act'],
    approval: { tools: { slow_actor__act: 'auto' } },
  });
  await expect.poll(() => readFileSync(file, 'utf8'), { timeout: 20_000 }).toBe('acted\n');
  await post(`/api/runs/${id}/stop`, { force: true });
  expect((await endOf(loupe, id)).termination_reason).toBe('stopped');
  const { runs } = (await (await loupe.request('/api/mcp/servers/slow_actor')).json()) as McpServerReply;
  expect(runs).toBe(0);
});

it('a broken mcp.json stops only runs that need it', async () => {
  const path = join(loupe.dataDir, 'mcp.json');
  const before = readFileSync(path, 'utf8');
  const offered = (await (await loupe.request('/api/tools')).json()) as ToolsReply;
  writeFileSync(path, '{"mcpServers": {"files"');
  const reply = await loupe.request('/api/tools');
  expect(reply.status).toBe(200);
  const { tools, servers, problems } = (await reply.json()) as ToolsReply;
  expect(tools.task.map(({ name }) => name)).toContain('read_file');
  expect(servers).toEqual([]);
  expect(problems).toMatchObject([
    { code: 'mcp_config_unreadable', message: expect.stringContaining('not JSON') },
  ]);
  const json = { task: 'Read', model: 'acts', tools: ['actor__act'] };
  const refused = await loupe.request('/api/runs', { json });
  expect(refused.status).toBe(409);
  expect(((await refused.json()) as ErrorReply).error).toMatchObject(problems[0] ?? {});
  ollama.add({ name: 'plain', steps: [done] });
  const { id } = await startRun(loupe, { task: 'Read', model: 'plain', tools: ['read_file'] });
  expect((await endOf(loupe, id)).termination_reason).toBe('final_answer');
  const fork = (settings: object) =>
    loupe.request(`/api/runs/${id}/fork`, { json: { at: { end: true }, message: 'Again', settings } });
  expect((await fork({ tools: ['actor__act'] })).status).toBe(409);
  expect((await fork({})).status).toBe(201);

  const others = JSON.parse(before).mcpServers;
  writeFileSync(path, JSON.stringify({ mcpServers: { ...others, actor: { command: 7 } } }));
  const one = (await (await loupe.request('/api/tools')).json()) as ToolsReply;
  expect(one.servers.map(({ server }) => server)).toEqual(
    offered.servers.map(({ server }) => server).filter((server) => server !== 'actor'),
  );
  expect(one.problems).toMatchObject([{ message: expect.stringContaining('mcpServers.actor.command') }]);
  const refusedForOne = await loupe.request('/api/runs', { json });
  expect(refusedForOne.status).toBe(409);
  expect(((await refusedForOne.json()) as ErrorReply).error).toMatchObject(one.problems[0] ?? {});
  expect((await fork({ tools: ['actor__act'] })).status).toBe(409);
  writeFileSync(path, before);
});
