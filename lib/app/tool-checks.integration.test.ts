import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import type { ErrorReply } from '../api/error-reply.ts';
import type { SuiteReply } from '../api/suite.ts';
import type { ToolCheckReply, ToolChecksReply } from '../api/tool-check.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { openSandbox } from '../sandbox/probe.ts';

const confined = (await openSandbox()).report.available;
const run = promisify(execFile);
const call = (name: string, args: Record<string, string | number>) => ({
  reply: { tool_calls: [{ name, arguments: args }] },
});
const tool = (name: string, description: string, parameter: string) => ({
  ...{ name, description, command: ['touch', '--', `made-by-${name}`, `{${parameter}}`] },
  parameters: { type: 'object', properties: { [parameter]: { type: 'string' } }, required: [parameter] },
});

let ollama: FakeOllama;
let loupe: LoupeServer;

beforeAll(async () => {
  ollama = await startFakeOllama({ record: true });
  loupe = await startLoupe({ ollamaUrl: ollama.url });
  for (const each of [
    tool('find_text', 'Find a text in the notes.', 'query'),
    tool('send_mail', 'Send a mail.', 'email'),
  ]) {
    await send('/api/command-tools', { tool: each });
  }
});
afterAll(async () => {
  await loupe.dispose();
  await ollama.close();
});

async function send<Reply>(path: string, json?: unknown): Promise<Reply> {
  const answer = await loupe.request(path, json === undefined ? {} : { json });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return (await answer.json()) as Reply;
}

const list = () => send<ToolChecksReply>('/api/tool-checks');

describe.skipIf(!confined)('a check of tools', () => {
  it('asks for calls of all tools, makes none, and says what was right [O26]', async () => {
    // Each request is a separate conversation, identified by its prompt.
    const answers = {
      'Find a text in the notes.': call('custom__find_text', { query: 'harbor' }),
      'find text': call('custom__send_mail', { email: 'ada@example.com' }),
      'Send a mail.': { reply: { content: 'I cannot send mails.' } },
      'send mail': call('custom__send_mail', { email: 'someone@else.org' }),
    };
    for (const [index, [match, step]] of Object.entries(answers).entries()) {
      ollama.add({ name: `mixed-${index}`, model: 'mixed', match: `\n${match}\n`, steps: [step] });
    }
    await send('/api/tool-checks', { model: 'mixed', server: 'custom' });
    await expect.poll(async () => (await list()).current?.status, { timeout: 30_000 }).toBe('done');
    const { current, checks } = await list();
    expect(current).toMatchObject({ done: 4, total: 4, right: 1 });
    expect(checks).toMatchObject([
      {
        ...{ server: 'custom', model: 'mixed:latest', right: 1, judged: 4 },
        tools: [
          { name: 'custom__find_text', right: 1, judged: 2 },
          { name: 'custom__send_mail', right: 0, judged: 2 },
        ],
      },
    ]);
    const { check } = await send<ToolCheckReply>(`/api/tool-checks/${checks[0]?.id}`);
    expect(check.probes.map(({ outcome }) => outcome)).toEqual([
      'right',
      'wrong_tool',
      'no_call',
      'wrong_arguments',
    ]);
    expect(check.probes[3]).toMatchObject({ arguments: [{ name: 'email', problem: 'wrong_value' }] });
    expect(check.probes[0]?.exchanges[0]).toMatchObject({ read: { calls: [{ layer: 'native' }] } });
    expect(check.measured.layers.native).toBe(3);
    const chats = ollama.chats.slice(-4);
    for (const { tools } of chats) expect(tools).toHaveLength(2);
    const { suite, cases } = await send<SuiteReply>(`/api/tool-checks/${check.id}/suite`, {});
    expect(suite).toMatchObject({ name: 'Tools of custom', cases: 4 });
    expect(cases[0]?.checks).toMatchObject([{ type: 'tool_called', tool: 'custom__find_text' }]);
  }, 60_000);

  it('runs from the terminal and keeps its results', async () => {
    ollama.add({ name: 'good', steps: [call('custom__find_text', { query: 'harbor' })] });
    const program = join(import.meta.dirname, '../../bin/loupe.mjs');
    const env = {
      ...process.env,
      LOUPE_URL: loupe.url,
      LOUPE_TOKEN: loupe.token,
      LOUPE_DATA_DIR: loupe.dataDir,
    };
    const ended = await run(process.execPath, [program, 'check', 'good', '--mcp', 'custom'], { env }).catch(
      (error: { stdout: string; stderr: string; code: number }) => error,
    );
    expect(ended.stdout, ended.stderr).toContain('custom__find_text  2 of 2 right');
    expect(ended.stdout).toContain('called custom__find_text instead, 2x');
    expect(ended.stdout).toContain('2 of 4 calls were right. No call was made.');
    expect('code' in ended ? ended.code : 0).toBe(1);
    expect((await list()).checks.map(({ model }) => model)).toEqual(['good:latest', 'mixed:latest']);
  }, 60_000);

  it('can be stopped, refuses what it cannot ask, and reports a failure', async () => {
    const refuse = async (json: unknown) => {
      const answer = await loupe.request('/api/tool-checks', { json });
      return [answer.status, ((await answer.json()) as ErrorReply).error.message];
    };
    expect(await refuse({ model: 'good', server: 'nobody' })).toEqual([
      400,
      expect.stringContaining('no enabled server'),
    ]);
    await send('/api/tool-checks', { model: 'is-missing', server: 'custom' });
    await expect.poll(async () => (await list()).current?.status, { timeout: 30_000 }).toBe('failed');
    expect((await list()).current?.error?.message).toContain('is-missing');
    ollama.add({ name: 'hangs', steps: [{ fault: { kind: 'hang' } }] });
    await send('/api/tool-checks', { model: 'hangs', server: 'custom' });
    await expect.poll(async () => (await list()).current?.total, { timeout: 30_000 }).toBe(4);
    expect(await refuse({ model: 'good', server: 'custom' })).toEqual([
      409,
      expect.stringContaining('is being checked'),
    ]);
    const { check } = await send<{ check: { status: string } }>('/api/tool-checks/stop', {
      model: 'hangs',
      server: 'custom',
    });
    expect(check.status).toBe('stopped');
    expect((await list()).checks).toHaveLength(2);
  }, 90_000);
});
