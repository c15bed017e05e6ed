import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, type Progress } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import { endOf, summaryOf } from '../../e2e/runs.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { SETTINGS } from '../events/settings.ts';
import { Challenges } from '../handshake/challenges.ts';
import { instantScenario } from '../testing/instant-scenario.ts';
import { listen } from '../testing/listen.ts';

const program = resolve(import.meta.dirname, '../../bin/loupe.mjs');

let ollama: FakeOllama;
let loupe: LoupeServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-mcp-server-'));
  ollama = await startFakeOllama();
  ollama.add(instantScenario(3, 'short'));
  ollama.add(instantScenario(999, 'long'));
  ollama.add({
    name: 'writes',
    steps: [
      { reply: { tool_calls: [{ name: 'write_file', arguments: { path: 'a.md', content: 'a' } }] } },
      { reply: { content: 'The task is completed.' } },
    ],
  });
  const error = '"broken" does not support chat';
  ollama.add({
    name: 'broken',
    steps: [{ fault: { kind: 'http', status: 400, body: { error } }, reply: { content: '' } }],
  });
  loupe = await startLoupe({ ollamaUrl: ollama.url });
});
afterAll(async () => {
  await loupe.dispose();
  await ollama.close();
  rmSync(folder, { recursive: true, force: true });
});

/** `npx loupe mcp`, as another host starts it, and the official client connected to it. */
async function connect(env: Record<string, string> = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp'],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      LOUPE_URL: loupe.url,
      LOUPE_TOKEN: loupe.token,
      ...env,
    },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const call = async (
    name: string,
    args: Record<string, unknown> = {},
    onprogress?: (progress: Progress) => void,
  ) => {
    const { content, structuredContent, isError } = await client.callTool(
      { name, arguments: args },
      { timeout: 60_000, ...(onprogress && { onprogress }) },
    );
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    return { text, data: (structuredContent ?? {}) as Record<string, unknown>, isError };
  };
  return { client, call, [Symbol.asyncDispose]: () => client.close() };
}

describe('npx loupe mcp', () => {
  it('describes each tool, and says which of them change something', async () => {
    await using loupeServer = await connect();
    const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(loupeServer.client.getServerVersion()).toMatchObject({ name: 'loupe', version });
    const { tools } = await loupeServer.client.listTools();
    expect(
      Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint ?? false])),
    ).toEqual({
      start_run: false,
      follow_run: true,
      run_result: true,
      stop_run: false,
      list_runs: true,
      list_models: true,
    });
    for (const { description } of tools) expect(description?.length).toBeGreaterThan(20);
    expect(loupeServer.client.getInstructions()).toContain('start_run');
  });

  it('states the limits of max_iterations that POST /api/runs has', async () => {
    await using loupeServer = await connect();
    const { tools } = await loupeServer.client.listTools();
    const { min, max } = SETTINGS.max_iterations;
    expect(tools.find(({ name }) => name === 'start_run')?.inputSchema.properties).toMatchObject({
      max_iterations: { type: 'integer', minimum: min, maximum: max },
    });
  });

  it('starts a run, reports its steps as progress, and returns its answer [O23]', async () => {
    await using loupeServer = await connect();
    const { data: listed } = await loupeServer.call('list_models');
    expect(listed.models).toContainEqual(expect.objectContaining({ name: 'short:latest' }));
    const started = await loupeServer.call('start_run', {
      task: 'Count',
      model: 'short',
      title: 'From afar',
    });
    const runId = String(started.data.run_id);
    expect(started.data).toMatchObject({ title: 'From afar', url: `${loupe.url}/runs/${runId}` });
    const progress: Progress[] = [];
    const ended = await loupeServer.call('follow_run', { run_id: runId, wait_seconds: 50 }, (each) =>
      progress.push(each),
    );
    expect(ended.data).toMatchObject({ ended: true, outcome: 'answered', waits_for_person: false });
    expect(ended.text).toBe(ended.data.output);
    expect(progress.map((each) => each.message).join('\n')).toContain('Iteration 2');
    expect(progress.map((each) => each.progress)).toEqual(progress.map((_, index) => index + 1));
    const { data } = await loupeServer.call('run_result', { run_id: runId });
    expect(data).toEqual(ended.data);
    const { data: runs } = await loupeServer.call('list_runs', { limit: 1 });
    expect(runs.runs).toMatchObject([{ run_id: runId }]);
  });

  it('returns while a run is in progress, and stops it', async () => {
    await using loupeServer = await connect();
    const { data } = await loupeServer.call('start_run', {
      task: 'Count',
      model: 'long',
      max_iterations: 90,
    });
    const runId = String(data.run_id);
    const going = await loupeServer.call('follow_run', { run_id: runId, wait_seconds: 0 });
    expect(going).toMatchObject({
      data: { ended: false },
      text: expect.stringContaining('The run is still in progress'),
    });
    await loupeServer.call('stop_run', { run_id: runId, force: true });
    expect((await endOf(loupe, runId)).termination_reason).toBe('stopped');
    const { data: stopped } = await loupeServer.call('run_result', { run_id: runId });
    expect(stopped).toMatchObject({ ended: true, outcome: 'stopped' });
  });

  it('says when a run waits for a person', async () => {
    const answer = await loupe.request('/api/runs', {
      json: { task: 'Write', model: 'writes', approval: { default: 'ask' } },
    });
    const { run } = (await answer.json()) as { run: { id: string } };
    await expect
      .poll(async () => (await summaryOf(loupe, run.id)).phase, { timeout: 20_000 })
      .toBe('awaiting-approval');
    await using loupeServer = await connect();
    const waiting = await loupeServer.call('run_result', { run_id: run.id });
    expect(waiting.data).toMatchObject({ ended: false, waits_for_person: true });
    expect(waiting.text).toContain(`${loupe.url}/runs/${run.id}`);
  });

  it('says what to do about a run that failed', async () => {
    await using loupeServer = await connect();
    const started = await loupeServer.call('start_run', { task: 'x', model: 'broken' });
    const failed = await loupeServer.call('follow_run', { run_id: started.data.run_id });
    const words =
      'Ollama HTTP 400: {"error":"\\"broken\\" does not support chat"} Model "broken" cannot write text.';
    expect(failed.data).toMatchObject({ ended: true, output: '', error: expect.stringContaining(words) });
    expect(failed.text).toContain(words);
  });

  it('prints a hint when Loupe is not running or refuses a request', async () => {
    await using away = await connect({ LOUPE_URL: `http://127.0.0.1:${await freePort()}` });
    expect(await away.call('list_runs')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/does not answer at .* Start it with "npm start"/),
    });
    await using unsigned = await connect({ LOUPE_TOKEN: '', LOUPE_DATA_DIR: folder });
    expect(await unsigned.call('list_runs')).toMatchObject({
      isError: true,
      text: expect.stringContaining('There is no operator token'),
    });
    await using loupeServer = await connect();
    expect(await loupeServer.call('follow_run', { run_id: 'nobody' })).toMatchObject({ isError: true });
    expect(
      await loupeServer.call('start_run', { task: 'x', model: 'short', workspace: 'notes' }),
    ).toMatchObject({
      isError: true,
      text: expect.stringContaining('workspace'),
    });
    expect(await loupeServer.call('start_run', { model: 'short' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('task'),
    });
    expect(
      await loupeServer.call('start_run', { task: 'x', model: 'short', max_iteration: 1 }),
    ).toMatchObject({
      isError: true,
      text: expect.stringContaining('max_iteration'),
    });
  });

  it('refuses unknown arguments of every tool, and names the valid ones', async () => {
    await using loupeServer = await connect();
    const { tools } = await loupeServer.client.listTools();
    const given = { run_id: 'nobody', task: 'x', model: 'short' };
    for (const { name, inputSchema } of tools) {
      const names = Object.keys(inputSchema.properties ?? {});
      const known = Object.fromEntries(Object.entries(given).filter(([key]) => names.includes(key)));
      const accepted = names.length === 0 ? 'no arguments' : names.join(', ');
      expect(await loupeServer.call(name, { ...known, time_limit: 5 }), name).toMatchObject({
        isError: true,
        text: expect.stringContaining(`Unknown argument "time_limit". This tool accepts ${accepted}.`),
      });
      expect(inputSchema.additionalProperties, name).toBe(false);
    }
  });

  it('shares a proof of Loupe among its calls until Loupe is started again', async () => {
    let challenges = new Challenges({ token: loupe.token, now: () => 0 });
    const handshakes: string[] = [];
    let following = 0;
    const { promise: allFollow, resolve } = Promise.withResolvers<void>();
    const listener = createServer(({ url = '', headers }, response) => {
      const address = `127.0.0.1:${port}`;
      if (url.startsWith('/api/handshake?nonce=')) {
        const nonce = url.slice(url.indexOf('=') + 1);
        handshakes.push(nonce);
        response.end(JSON.stringify(challenges.answer(nonce, address)));
      } else if (!challenges.accepts(headers.authorization?.replace('Bearer ', '') ?? '', address)) {
        response.writeHead(401).end('{"error":{"code":"unauthorized","message":"No."}}');
      } else if (url.endsWith('/events?after=0')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        following += 1;
        if (following === 20) resolve();
      } else response.end('{"runs":[],"run":{"id":"r"}}');
    });
    const port = await listen(listener);
    await using loupeServer = await connect({ LOUPE_URL: `http://127.0.0.1:${port}` });
    const cancel = new AbortController();
    const calls = Array.from({ length: 20 }, () =>
      loupeServer.client.callTool(
        { name: 'follow_run', arguments: { run_id: 'r' } },
        { signal: cancel.signal },
      ),
    );
    await allFollow;
    cancel.abort();
    expect(await Promise.allSettled(calls)).toMatchObject(calls.map(() => ({ status: 'rejected' })));
    expect((await loupeServer.call('list_runs')).data).toEqual({ runs: [] });
    // A call that is cancelled before the response begins voids the proof.
    expect(handshakes.length).toBeLessThanOrEqual(2);
    handshakes.length = 0;
    challenges = new Challenges({ token: loupe.token, now: () => 0 });
    expect((await loupeServer.call('list_runs')).data).toEqual({ runs: [] });
    expect(handshakes).toHaveLength(1);
    listener.closeAllConnections();
    listener.close();
  });

  it('survives a message that is not JSON-RPC, and ends with an error after one that is too long', async () => {
    const server = spawn(process.execPath, [program, 'mcp'], {
      env: { ...process.env, LOUPE_URL: loupe.url },
    });
    server.stdin.on('error', () => undefined); // the rest of the long message is not read
    let [answers, problems] = ['', ''];
    server.stdout.on('data', (chunk) => {
      answers += chunk;
    });
    server.stderr.on('data', (chunk) => {
      problems += chunk;
    });
    server.stdin.write(
      '[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n',
    );
    await expect.poll(() => answers, { timeout: 20_000 }).toContain('"id":2');
    await expect.poll(() => problems).toBe('loupe: A message on standard input is not JSON-RPC 2.0.\n');
    server.stdin.write(
      `{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":"${'a'.repeat(11 * 1024 * 1024)}"}}\n`,
    );
    expect(await once(server, 'close')).toEqual([1, null]);
    expect(problems.split('\n').slice(1)).toEqual([
      'loupe: A message on standard input is longer than 10 MB. The server exits.',
      '',
    ]);
  });
});
