import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import { endOf, logOf, startRun, summaryOf } from '../../e2e/runs.ts';
import type { CommandToolReply, CommandToolsReply, TryCommandToolReply } from '../api/command-tool.ts';
import type { ErrorReply } from '../api/error-reply.ts';
import type { RunReply } from '../api/replies.ts';
import type { ToolsReply } from '../api/tools.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { openSandbox } from '../sandbox/probe.ts';
import { eventsOf } from '../testing/events-of.ts';

const SECRET = 'Zq81kPw0Lr55mXt2';
const confined = (await openSandbox()).report.available;
const done = { reply: { content: 'The task is completed.' } };
const call = (name: string, args: Record<string, string> = {}) => ({
  reply: { tool_calls: [{ name, arguments: args }] },
});
const echo = {
  name: 'echo',
  description: 'Say something.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  command: ['printf', '--', '1:%s', '{text}'],
};

let ollama: FakeOllama;
let loupe: LoupeServer;
let folder: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'loupe-command-tools-')));
  ollama = await startFakeOllama({ record: true });
  loupe = await startLoupe({ ollamaUrl: ollama.url });
});
afterAll(async () => {
  await loupe.dispose();
  await ollama.close();
  rmSync(folder, { recursive: true, force: true });
});

async function send<Reply>(path: string, json?: unknown): Promise<Reply> {
  const answer = await loupe.request(path, json === undefined ? {} : { json });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return (await answer.json()) as Reply;
}

async function refusal(path: string, json: unknown): Promise<[number, string]> {
  const answer = await loupe.request(path, { json });
  return [answer.status, ((await answer.json()) as ErrorReply).error.message];
}

const results = async (id: string) =>
  eventsOf(await logOf(loupe, id), 'tool-call.ended').map(({ result }) => result.output);
const unasked = { tools: { custom__echo: 'auto' } };

it('refuse a change of a definition that is no longer current [O25]', async () => {
  const change = (tool: object, edited: object) =>
    loupe.request('/api/command-tools', { json: { tool, ...edited } });
  const tool = { ...echo, name: 'edited' };
  const added = await send<CommandToolReply>('/api/command-tools', { tool });
  const edited = { replaces: 'edited', base: added.hash };
  const first = { ...tool, timeout_seconds: 5 };
  expect((await change(first, edited)).status).toBe(200);
  expect((await change(first, edited)).status).toBe(200);
  const refused = await change({ ...tool, timeout_seconds: 7 }, edited);
  expect([refused.status, await refused.json()]).toEqual([
    409,
    {
      error: {
        code: 'command_tool_changed',
        message: 'The tool "edited" was changed in the meantime.',
        hint: expect.stringContaining('make the change again'),
      },
    },
  ]);
  const { tools } = await send<CommandToolsReply>('/api/command-tools');
  const current = tools.find(({ name }) => name === 'edited');
  expect(current).toMatchObject(first);
  const renamed = { ...tool, name: 'renamed' };
  expect((await change(renamed, { replaces: 'edited', base: current?.hash })).status).toBe(200);
  expect((await change(tool, edited)).status).toBe(404);
  expect(await refusal('/api/command-tools', { tool, base: added.hash })).toEqual([
    400,
    'base: Send it only with replaces.',
  ]);
  await loupe.request('/api/command-tools/renamed', { method: 'DELETE', json: {} });
});

describe.skipIf(!confined)('custom tools', () => {
  it('are added, tried, listed, offered, changed and removed [O25]', async () => {
    const tried = await send<TryCommandToolReply>('/api/command-tools/try', {
      tool: { ...echo, command: ['sh', '-c', 'ls -A; printf "%s" "$1"; touch made', 'sh', '{text}'] },
      arguments: { text: '$(id)' },
    });
    expect(tried).toMatchObject({ result: { success: true, output: { stdout: '$(id)' } } });
    expect(tried.argv.at(-1)).toBe('$(id)');
    await send('/api/command-tools', { tool: echo });
    expect(await refusal('/api/command-tools', { tool: echo })).toEqual([
      409,
      expect.stringContaining('already'),
    ]);
    const { servers } = await send<ToolsReply>('/api/tools');
    expect(servers).toMatchObject([{ server: 'custom', tools: [{ name: 'custom__echo', unasked: false }] }]);
    expect(
      await refusal('/api/mcp/servers', {
        name: 'custom',
        server: { type: 'http', url: 'http://127.0.0.1:1/' },
      }),
    ).toEqual([400, expect.stringContaining('the name of the custom tools')]);
    expect(await refusal('/api/runs', { task: 'x', model: 'm', tools: ['custom__ecko'] })).toEqual([
      400,
      expect.stringContaining('Did you mean custom__echo?'),
    ]);
  });

  it('ask first, and a run, its fork and its resume keep the definition that it began with', async () => {
    ollama.add({ name: 'says', steps: [call('custom__echo', { text: 'hi' }), done] });
    const { id } = await startRun(loupe, { task: 'Say', model: 'says', tools: ['custom__*'] });
    await expect
      .poll(async () => (await summaryOf(loupe, id)).phase, { timeout: 20_000 })
      .toBe('awaiting-approval');
    const [request] = eventsOf(await logOf(loupe, id), 'approval.requested');
    expect(request).toMatchObject({ tool: 'custom__echo', scopes: ['once', 'run'] });
    await send('/api/command-tools', {
      tool: { ...echo, command: ['printf', '--', '2:%s', '{text}'] },
      replaces: 'echo',
    });
    await loupe.stop('SIGKILL');
    loupe = await startLoupe({ ollamaUrl: ollama.url, dataDir: loupe.dataDir, port: loupe.port });
    await send(`/api/runs/${id}/approvals`, { call_id: request?.call_id, decision: 'approved' });
    await endOf(loupe, id);
    expect(await results(id)).toMatchObject([{ exit_code: 0, stdout: '1:hi' }]);

    ollama.add({ name: 'says-again', steps: [call('custom__echo', { text: 'again' }), done] });
    const forked = await send<RunReply>(`/api/runs/${id}/fork`, {
      at: { before_iteration: 1 },
      settings: { model: 'says-again' },
    });
    await expect
      .poll(async () => (await summaryOf(loupe, forked.run.id)).phase, { timeout: 20_000 })
      .toBe('awaiting-approval');
    const asked = eventsOf(await logOf(loupe, forked.run.id), 'approval.requested').at(-1);
    await send(`/api/runs/${forked.run.id}/approvals`, { call_id: asked?.call_id, decision: 'approved' });
    await endOf(loupe, forked.run.id);
    expect(await results(forked.run.id)).toMatchObject([{ stdout: '1:again' }]);

    ollama.add({ name: 'says-new', steps: [call('custom__echo', { text: 'new' }), done] });
    const fresh = await startRun(loupe, {
      task: 'Say',
      model: 'says-new',
      tools: ['custom__echo'],
      approval: unasked,
    });
    await endOf(loupe, fresh.id);
    expect(await results(fresh.id)).toMatchObject([{ stdout: '2:new' }]);
  }, 120_000);

  it('a call that ran when Loupe was killed is reported as interrupted, and never repeated', async () => {
    const file = join(folder, 'effects');
    writeFileSync(file, '');
    await send('/api/command-tools', {
      tool: {
        ...echo,
        name: 'act',
        parameters: { type: 'object' },
        command: ['sh', '-c', 'echo acted >> effects; sleep 60'],
      },
    });
    ollama.add({ name: 'acts', steps: [call('custom__act'), done] });
    const { id } = await startRun(loupe, {
      task: 'Act',
      model: 'acts',
      workspace: folder,
      tools: ['custom__act'],
      approval: { tools: { custom__act: 'auto' } },
    });
    await expect.poll(() => readFileSync(file, 'utf8'), { timeout: 20_000 }).toBe('acted\n');
    await loupe.stop('SIGKILL');
    loupe = await startLoupe({ ollamaUrl: ollama.url, dataDir: loupe.dataDir, port: loupe.port });
    expect((await endOf(loupe, id)).termination_reason).toBe('final_answer');
    const events = await logOf(loupe, id);
    expect(eventsOf(events, 'tool-call.started')).toHaveLength(1);
    expect(eventsOf(events, 'tool-call.interrupted')).toMatchObject([
      { tool: 'custom__act', result: { success: false } },
    ]);
    expect(readFileSync(file, 'utf8')).toBe('acted\n');
  }, 120_000);

  it('a fork of an imported run uses the tools of this machine, never the commands of the file', async () => {
    ollama.add({ name: 'exports', steps: [done] });
    const { id } = await startRun(loupe, { task: 'Say', model: 'exports', tools: ['custom__echo'] });
    await endOf(loupe, id);
    const exported = await (await loupe.request(`/api/runs/${id}/export`)).text();
    const hostile = exported.replaceAll('2:%s', 'stolen:%s').replaceAll(id, `${id.slice(0, -4)}abcd`);
    expect(hostile).toContain('stolen');
    const answer = await fetch(`${loupe.url}/api/import`, {
      method: 'POST',
      body: hostile,
      headers: { authorization: `Bearer ${loupe.token}`, 'content-type': 'application/x-ndjson' },
    });
    expect(answer.ok, await answer.clone().text()).toBe(true);
    const { run } = (await answer.json()) as RunReply;
    ollama.add({ name: 'after-import', steps: [call('custom__echo', { text: 'x' }), done] });
    const settings = { model: 'after-import' };
    const forked = await send<RunReply>(`/api/runs/${run.id}/fork`, {
      at: { before_iteration: 1 },
      settings,
    });
    await expect
      .poll(async () => (await summaryOf(loupe, forked.run.id)).phase, { timeout: 20_000 })
      .toBe('awaiting-approval');
    const asked = eventsOf(await logOf(loupe, forked.run.id), 'approval.requested').at(-1);
    await send(`/api/runs/${forked.run.id}/approvals`, { call_id: asked?.call_id, decision: 'approved' });
    await endOf(loupe, forked.run.id);
    expect(await results(forked.run.id)).toMatchObject([{ stdout: '2:x' }]);
    await loupe.request('/api/command-tools/echo', { method: 'DELETE', json: {} });
    expect(await refusal(`/api/runs/${run.id}/fork`, { at: { before_iteration: 1 }, settings })).toEqual([
      400,
      expect.stringContaining('no custom tool "custom__echo"'),
    ]);
  }, 120_000);

  it('shares mask secrets in their definitions', async () => {
    await send('/api/command-tools', {
      tool: { ...echo, command: ['printf', '--', `--api-key=${SECRET}`, '{text}'] },
    });
    ollama.add({ name: 'shares', steps: [done] });
    const { id } = await startRun(loupe, { task: 'Say', model: 'shares', tools: ['custom__echo'] });
    await endOf(loupe, id);
    const { share } = await send<{ share: { url: string } }>(`/api/runs/${id}/shares`, {
      scope: 'everything',
      live: false,
    });
    const texts = await Promise.all(
      ['', '/events'].map(async (path) => (await fetch(`${share.url}${path}`)).text()),
    );
    expect(texts.join()).toContain('custom__echo');
    expect(texts.join()).not.toContain(SECRET);
  });

  it('a file that is wrong is refused with place and reason, and stops nothing else', async () => {
    const { path } = await send<CommandToolsReply>('/api/command-tools');
    writeFileSync(
      path,
      JSON.stringify({ tools: { bad: { ...echo, name: undefined, command: ['sh', '-c', '{text}'] } } }),
    );
    const answer = await loupe.request('/api/command-tools');
    expect(answer.ok).toBe(false);
    expect(((await answer.json()) as ErrorReply).error.message).toContain(
      'tools.bad.command.2: A shell would read this as code',
    );
    expect(await send<ToolsReply>('/api/tools')).toMatchObject({
      servers: [],
      problems: [
        { code: 'command_tools_unreadable', message: expect.stringContaining('tools.bad.command.2') },
      ],
    });
    expect(await refusal('/api/runs', { task: 'x', model: 'm', tools: ['custom__bad'] })).toEqual([
      expect.any(Number),
      expect.stringContaining('tools.bad.command.2'),
    ]);
    rmSync(path);
  });
});
