import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { promptReading } from '../../lib/browser/words/call-phases.ts';
import type { RunConfig } from '../../lib/events/config.ts';
import { emptyTimeline, foldTimeline } from '../../lib/events/fold-timeline.ts';
import type { RunEventType } from '../../lib/events/registry.ts';
import type { ChatRequest } from '../../lib/model/chat-model.ts';
import { connectOllama } from '../../lib/model/ollama-connection.ts';
import { parseOllamaHost } from '../../lib/model/ollama-host.ts';
import { unloadModel } from '../../lib/model/ollama-models.ts';
import { ModelServers } from '../../lib/models/model-servers.ts';
import { openUnconfined } from '../../lib/sandbox/unconfined.ts';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { driveLoop } from '../../lib/testing/loop-harness.ts';
import { MemoryLog } from '../../lib/testing/memory-log.ts';
import { createOllamaChatModel } from '../../lib/testing/ollama-chat-model.ts';
import { sampleConfig } from '../../lib/testing/sample-logs.ts';
import { openerOf } from '../../lib/testing/simulate-run.ts';
import { createTaskTools } from '../../lib/tools/registry.ts';
import { type RealOllama, startOllama } from './start-ollama.ts';

let ollama: RealOllama;
beforeAll(async () => {
  ollama = await startOllama();
});
afterAll(() => ollama?.stop());

/** Runs a task with the tiny model, in a folder with a file that is much longer than what the model's template shows of it. */
async function run(task: string, change: Partial<RunConfig> = {}, url = ollama.url) {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'loupe-ollama-')));
  try {
    await writeFile(join(workspace, 'alpha.md'), 'The long tale of a number. '.repeat(900));
    const config = sampleConfig({
      task,
      model: 'tiny-tools',
      workspace,
      window_tokens: 4096,
      num_predict: [300, 600],
      live_tokens: false,
      think: false,
      model_options: { temperature: 0, seed: 1 },
      ...change,
    });
    const log = new MemoryLog();
    await driveLoop(log, config, {
      model: createOllamaChatModel({ host: parseOllamaHost(url) }),
      openTools: openerOf(createTaskTools({ workspace, sandbox: openUnconfined() })),
    });
    const of = <T extends RunEventType>(type: T) => eventsOf(log.events, type);
    return { log, of, end: of('run.ended')[0] };
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}

/** Forwards everything to Ollama, except the option not to truncate a prompt. */
async function startForgetfulProxy(): Promise<{ url: string; server: Server }> {
  const server = createServer(async (req, res) => {
    const body = await bodyOf(req);
    const { truncate: _, ...rest } = body === '' ? {} : JSON.parse(body);
    const answer = await fetch(ollama.url + req.url, {
      method: req.method,
      ...(body === '' ? {} : { body: JSON.stringify(rest) }),
    });
    res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    res.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, server };
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it('goes on when only the estimate exceeds the window, without an alarm about a cut (C6, OL3)', async () => {
  const { of, end } = await run('Read alpha.md', { result_chars: 100_000 });
  const second = of('model-call.started')[1];
  expect(second?.estimated_tokens).toBeGreaterThan(4096);
  expect(of('model-call.ended')[1]?.prompt_tokens).toBeLessThan(4096 / 2);
  expect(end?.result.termination_reason).toBe('final_answer');
  expect(of('policy.warned').map(({ code }) => code)).toEqual(['prompt_unread']);
});

it('lets Ollama refuse what does not fit (C6, OL22)', async () => {
  const { of, end } = await run(`Hello ${'river '.repeat(3000)}`);
  expect(of('model-call.failed')).toMatchObject([{ kind: 'overflow', status: 400 }]);
  expect(end?.result.termination_reason).toBe('context_full');
  expect(end?.message).toMatch(/^Ollama refused the conversation as too long for its window of 4,096 tokens/);
});

it('raises one alarm when prompts are cut to the whole window, unless the server refuses them (OL2)', async () => {
  const proxy = await startForgetfulProxy();
  try {
    const task = `wander through the files ${'xq zj vk '.repeat(330)}`;
    const { of } = await run(task, { window_tokens: 1024, max_iterations: 3 }, proxy.url);
    if (ollama.usesLlamaServer) {
      expect(of('model-call.failed')[0]).toMatchObject({ kind: 'overflow' });
      return;
    }
    const counts = of('model-call.ended').map(({ prompt_tokens }) => prompt_tokens);
    expect(counts.length).toBeGreaterThan(1);
    expect(new Set(counts)).toEqual(new Set([1024]));
    const alarms = of('policy.warned').filter(({ code }) => code === 'prompt_cut');
    expect(alarms.map(({ detail }) => detail)).toMatchObject([
      { call: 1, evaluated_tokens: 1024, window_tokens: 1024, server_version: ollama.version },
    ]);
  } finally {
    proxy.server.close();
  }
});

it('detects a cut that the estimate alone would miss, unless the server refuses (OL2)', async () => {
  const proxy = await startForgetfulProxy();
  try {
    const single = { agentic: false, workspace: '', parser_layers: [], model: 'tiny-plain' };
    const task = `Hello ${'xq zj vk '.repeat(390)}`;
    const { of } = await run(task, { ...single, window_tokens: 1024 }, proxy.url);
    expect(of('model-call.started')[0]?.estimated_tokens).toBe(879);
    if (ollama.usesLlamaServer) expect(of('model-call.failed')[0]).toMatchObject({ kind: 'overflow' });
    else expect(of('policy.warned').map(({ code }) => code)).toContain('prompt_cut');
  } finally {
    proxy.server.close();
  }
});

it('knows the prompt speed of the first call after a load, and of others if cached tokens are counted (OL17)', async () => {
  await unloadModel(connectOllama(parseOllamaHost(ollama.url)), 'tiny-tools');
  const { log } = await run('wander through the files', { max_iterations: 3 });
  const rows = foldTimeline(emptyTimeline, log.events).rows.flatMap((row) =>
    row.kind === 'call' ? [row] : [],
  );
  const [first, ...others] = rows.map(promptReading);
  expect(first).toMatchObject({ cached: 0, rate: expect.any(Number) });
  expect(others.length).toBeGreaterThan(0);
  for (const [index, reading] of others.entries()) {
    // The whole prompt is counted, including cached tokens, whose number older versions do not report.
    expect(reading?.tokens).toBeGreaterThan((index === 0 ? first : others[index - 1])?.tokens ?? 0);
    const known = { cached: expect.any(Number), rate: expect.any(Number) };
    expect(reading).toMatchObject(ollama.usesLlamaServer ? known : { cached: undefined, rate: undefined });
  }
});

it('distinguishes a re-created model from the one of the run by its digest (OL5)', async () => {
  const create = (body: object) =>
    fetch(`${ollama.url}/api/create`, { method: 'POST', body: JSON.stringify({ stream: false, ...body }) });
  expect((await create({ model: 'renewed', from: 'tiny-tools' })).status).toBe(200);
  const { of } = await run('Read alpha.md', { model: 'renewed' });
  const servers = new ModelServers(parseOllamaHost(ollama.url));
  const request: ChatRequest = {
    model: 'renewed',
    messages: [{ role: 'user', content: 'Read alpha.md' }],
    tools: [],
    options: { num_ctx: 4096, num_predict: 10 },
    think: false,
    stream: false,
    keepAlive: '5m',
  };
  const context = { signal: new AbortController().signal, timeoutMs: 30_000 };
  const before = await servers.render(request, context);
  const [preflight] = of('preflight.checked');
  expect(before.by).toEqual({ digest: preflight?.digest, server_version: ollama.version });
  expect(before.prompt).toContain('<|user|>Read alpha.md<|end|>');

  const template = 'TODAY {{ range .Messages }}{{ .Content }}{{ end }}';
  expect((await create({ model: 'renewed', from: 'tiny-tools', template })).status).toBe(200);
  const after = await servers.render(request, context);
  expect(after.prompt).toBe('TODAY Read alpha.md');
  expect(after.by.digest).not.toBe(preflight?.digest);
});
