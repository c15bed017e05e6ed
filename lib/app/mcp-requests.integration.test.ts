import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import { endOf, logOf, startRun, summaryOf } from '../../e2e/runs.ts';
import type { ErrorReply } from '../api/error-reply.ts';
import type { McpServerReply, StdioServer } from '../api/mcp.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { hostileServer, npmServer } from '../mcp/under-test.ts';
import { openSandbox } from '../sandbox/probe.ts';
import { eventsOf } from '../testing/events-of.ts';
import { toolsToAccept } from '../testing/tools-to-accept.ts';

const confined = (await openSandbox()).report.available;
const env = { ...(confined ? {} : { LOUPE_UNCONFINED: '1' }) };
const done = { reply: { content: 'The task is completed.' } };
const calls = (name: string, args: Record<string, string | number> = {}) => ({
  reply: { tool_calls: [{ name, arguments: args }] },
});

let ollama: FakeOllama;
let loupe: LoupeServer;

beforeAll(async () => {
  ollama = await startFakeOllama({ record: true });
  loupe = await startLoupe({ ollamaUrl: ollama.url, env });
  await add('everything', npmServer('everything', ['stdio']));
  await add('asker', hostileServer('asks-form'));
}, 60_000);
afterAll(async () => {
  await loupe.dispose();
  await ollama.close();
});

async function post<Reply>(path: string, json: unknown = {}): Promise<Reply> {
  const answer = await loupe.request(path, { json });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return (await answer.json()) as Reply;
}

async function add(name: string, server: StdioServer): Promise<void> {
  const path = `/api/mcp/servers/${name}`;
  await post('/api/mcp/servers', { name, server });
  await post(`${path}/start`);
  const reply = async () => (await (await loupe.request(path)).json()) as McpServerReply;
  await vi.waitFor(async () => expect((await reply()).state).toBe('ready'), { timeout: 20_000 });
  await post(`${path}/accept`, { tools: toolsToAccept(await reply()) });
}

/** Starts a run whose model calls one tool, and waits until the tool's server asks. */
async function asking(tool: string, args: Record<string, string | number> = {}, fields = {}) {
  const model = `calls-${tool.replaceAll('_', '-')}`;
  ollama.add({ name: model, steps: [calls(tool, args), done] });
  const { id } = await startRun(loupe, {
    task: 'Call it',
    model,
    tools: [tool],
    approval: { tools: { [tool]: 'auto' } },
    ...fields,
  });
  await inPhase(id, 'awaiting-approval');
  const [received] = eventsOf(await logOf(loupe, id), 'mcp-request.received');
  if (!received) throw new Error('The server asked nothing');
  return { id, received };
}

async function inPhase(id: string, phase: string): Promise<void> {
  await expect.poll(async () => (await summaryOf(loupe, id)).phase, { timeout: 20_000 }).toBe(phase);
}

async function answer(id: string, json: Record<string, unknown>): Promise<[number, string | undefined]> {
  const reply = await loupe.request(`/api/runs/${id}/mcp-requests`, { json });
  const { error } = (await reply.json()) as Partial<ErrorReply>;
  return [reply.status, error && `${error.code}: ${error.message}`];
}

it('a person answers what a server asks, and the model gets what the server makes of it [O24]', async () => {
  const { id, received } = await asking('everything__trigger_elicitation_request');
  expect(received).toMatchObject({
    request_id: 'q1',
    server: 'everything',
    request: { kind: 'form', message: 'Please provide inputs for the following fields:' },
  });
  const accept = { request_id: 'q1', action: 'accept', content: { name: 'Ada', integer: 3 } };
  expect(await answer(id, { ...accept, request_id: 'q7' })).toEqual([
    404,
    expect.stringContaining('mcp_request_not_found'),
  ]);
  expect(await answer(id, { ...accept, content: { email: 'nobody', sum: 1 } })).toEqual([
    400,
    expect.stringMatching(/email: Enter an e-mail address\. .*sum: The server did not ask for this\./),
  ]);
  expect(await answer(id, accept)).toEqual([200, undefined]);
  expect(await answer(id, accept)).toEqual([200, undefined]);
  expect((await answer(id, { ...accept, action: 'decline' }))[0]).toBe(409);
  expect((await endOf(loupe, id)).termination_reason).toBe('final_answer');
  const events = await logOf(loupe, id);
  expect(eventsOf(events, 'mcp-request.answered')).toMatchObject([
    { action: 'accept', content: { name: 'Ada', integer: 3 }, by: 'operator' },
  ]);
  expect(JSON.stringify(eventsOf(events, 'tool-call.ended')[0]?.result)).toContain('Ada');
});

it('the wait counts neither as run time nor as time of the call, and a declined request has no content', async () => {
  const budget = { max_seconds: 2 };
  const { id } = await asking('asker__act', {}, { budget });
  await new Promise((resolve) => setTimeout(resolve, 2500)); // longer than the budget
  expect(await answer(id, { request_id: 'q1', action: 'decline', content: { name: 'x' } })).toEqual([
    200,
    undefined,
  ]);
  expect((await endOf(loupe, id)).termination_reason).toBe('final_answer');
  const events = await logOf(loupe, id);
  const [ended] = eventsOf(events, 'tool-call.ended');
  expect(ended?.duration_ms).toBeLessThan(2000);
  expect(ended?.result.output).toEqual({ text: '{"action":"decline"}' });
  expect(eventsOf(events, 'mcp-request.answered')[0]).not.toHaveProperty('content');
});

it('the model of the run writes for a server after a person allowed it, with the tokens of the run', async () => {
  const tool = 'everything__trigger_sampling_request';
  ollama.add({
    name: 'samples',
    // The request for the sample contains no earlier reply, so it gets this one, too.
    steps: [
      {
        reply: {
          content: '<think>Hm.</think>A sample.',
          tool_calls: [{ name: tool, arguments: { prompt: 'Say hi', maxTokens: 7 } }],
        },
      },
      done,
    ],
  });
  const { id } = await startRun(loupe, {
    task: 'Sample',
    model: 'samples',
    tools: [tool],
    approval: { tools: { [tool]: 'auto' } },
  });
  await inPhase(id, 'awaiting-approval');
  const before = ollama.chats.length;
  expect(eventsOf(await logOf(loupe, id), 'mcp-sampling.started')).toEqual([]);
  await answer(id, { request_id: 'q1', action: 'accept' });
  const ended = await endOf(loupe, id);
  const events = await logOf(loupe, id);
  expect(ollama.chats[before]).toMatchObject({
    messages: [{ role: 'system', content: 'You are a helpful test server.' }, { role: 'user' }],
    options: { num_predict: 7, temperature: 0.7 },
  });
  expect(ollama.chats[before]?.tools ?? []).toEqual([]);
  const types = events.map(({ type }) => type).filter((type) => /^mcp-(?:request|sampling)/.test(type));
  expect(types).toEqual([
    'mcp-request.received',
    'mcp-request.answered',
    'mcp-sampling.started',
    'mcp-sampling.ended',
  ]);
  const [sampled] = eventsOf(events, 'mcp-sampling.ended');
  expect(sampled).toMatchObject({ text: 'A sample.' });
  expect(JSON.stringify(eventsOf(events, 'tool-call.ended')[0]?.result)).toContain('A sample.');
  const ofCalls = eventsOf(events, 'model-call.ended').reduce(
    (sum, call) => sum + (call.reply_tokens ?? 0),
    0,
  );
  expect(ended.tokens_out).toBe(ofCalls + (sampled?.reply_tokens ?? 0));
  // The conversation has neither the request nor the sample as a message.
  expect(JSON.stringify(ollama.chats.at(-1)?.messages)).not.toContain('You are a helpful test server.');
});

it('a stop cancels the request, and the call ends', async () => {
  const { id } = await asking('asker__act');
  await post(`/api/runs/${id}/stop`, {});
  expect((await endOf(loupe, id)).termination_reason).toBe('stopped');
  const events = await logOf(loupe, id);
  expect(eventsOf(events, 'mcp-request.answered')).toMatchObject([{ action: 'cancel', by: 'stop' }]);
  expect(eventsOf(events, 'tool-call.ended')).toMatchObject([
    { result: { output: { text: '{"action":"cancel"}' } } },
  ]);
});

it('a forced stop ends the call without an answer', async () => {
  const { id } = await asking('asker__act');
  await post(`/api/runs/${id}/stop`, { force: true });
  expect((await endOf(loupe, id)).termination_reason).toBe('stopped');
  expect((await answer(id, { request_id: 'q1', action: 'accept' }))[0]).toBe(404);
});

it('a fork cannot begin while a server waits', async () => {
  const { id, received } = await asking('asker__act');
  const reply = await loupe.request(`/api/runs/${id}/fork`, { json: { at: { seq: received.seq } } });
  expect(reply.status).toBe(409);
  await answer(id, { request_id: 'q1', action: 'cancel' });
  await endOf(loupe, id);
});

it('a share shows what was asked in its scope only', async () => {
  const { id } = await asking('asker__act');
  await answer(id, { request_id: 'q1', action: 'accept', content: { name: 'Ada-entered' } });
  await endOf(loupe, id);
  const shared = async (scope: string) => {
    const { share } = await post<{ share: { url: string } }>(`/api/runs/${id}/shares`, {
      scope,
      live: false,
    });
    return (await fetch(`${share.url}/events`)).text();
  };
  expect(await shared('everything')).toContain('Ada-entered');
  expect(await shared('without_results')).not.toContain('Ada-entered');
  expect(await shared('summary')).not.toContain('Your name');
});

it('a call that waited for a person when Loupe was killed is interrupted, and nothing is asked again [O19]', async () => {
  const { id } = await asking('asker__act');
  await loupe.stop('SIGKILL');
  loupe = await startLoupe({ ollamaUrl: ollama.url, env, dataDir: loupe.dataDir, port: loupe.port });
  expect((await endOf(loupe, id)).termination_reason).toBe('final_answer');
  const events = await logOf(loupe, id);
  expect(eventsOf(events, 'mcp-request.received')).toHaveLength(1);
  expect(eventsOf(events, 'mcp-request.answered')).toEqual([]);
  expect(eventsOf(events, 'tool-call.interrupted')).toHaveLength(1);
  expect((await answer(id, { request_id: 'q1', action: 'accept' }))[0]).toBe(404);
}, 60_000);

it('reports of a server are kept with the call, and not given to the model', async () => {
  const tool = 'everything__trigger_long_running_operation';
  ollama.add({ name: 'long-call', steps: [calls(tool, { duration: 1, steps: 4 }), done] });
  const { id } = await startRun(loupe, {
    task: 'Wait',
    model: 'long-call',
    tools: [tool],
    approval: { tools: { [tool]: 'auto' } },
  });
  await endOf(loupe, id);
  const [logged] = eventsOf(await logOf(loupe, id), 'mcp-messages.logged');
  expect(logged?.lines.at(-1)).toMatch(/^Progress [1-4] of 4/);
  expect(JSON.stringify(ollama.chats.at(-1)?.messages)).not.toContain('of 4');
});
