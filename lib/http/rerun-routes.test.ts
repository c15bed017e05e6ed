import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GET as getSent } from '../../app/api/runs/[runId]/calls/[call]/request/route.ts';
import { POST as rerunCall } from '../../app/api/runs/[runId]/calls/[call]/rerun/route.ts';
import { GET as getLog } from '../../app/api/runs/[runId]/log/route.ts';
import { POST as createRun } from '../../app/api/runs/route.ts';
import type { RerunRequest, RerunUpdate } from '../api/rerun-call.ts';
import { setReruns } from '../app/current-models.ts';
import { setRunService } from '../app/current-service.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { runLoop } from '../engine/run-loop.ts';
import { parseOllamaHost } from '../model/ollama-host.ts';
import { ModelServers } from '../models/model-servers.ts';
import { Reruns } from '../models/reruns.ts';
import { modeOf } from '../modes/mode-of.ts';
import { resolveConfig } from '../modes/resolve-config.ts';
import { openToolsOf } from '../runs/open-tools.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import { type TemporaryFolder, temporaryFolder } from '../sandbox/under-test.ts';
import { calls, says } from '../testing/loop-harness.ts';
import { openTestService, type TestService } from '../testing/test-service.ts';
import { setGate } from './current-gate.ts';
import { testGate } from './test-gate.ts';

const token = 'operator-token-0123456789abcdef';
const host = '127.0.0.1:4120';

let test: TestService;
let fake: FakeOllama;
let folder: TemporaryFolder;
let servers: ModelServers;

beforeEach(async () => {
  folder = await temporaryFolder();
  fake = await startFakeOllama({
    models: [{ name: 'far-away:1b', remote_host: 'https://ollama.com', remote_model: 'far:1b' }],
    scenarios: [
      {
        name: 'writer',
        steps: [
          {
            reply: {
              thinking: 'A note, then.',
              tool_calls: [{ name: 'write_file', arguments: { path: 'note.md', content: 'First.' } }],
            },
          },
          says('The note is written.'),
        ],
      },
      { name: 'other', steps: [says('{"name": "read_file", "arguments": {"path": "note.md"}}')] },
      { name: 'broken', steps: [{ fault: { kind: 'malformed-call', after_tokens: 0 } }] },
      { name: 'slow', steps: [calls({ name: 'list_directory', arguments: {} }), says('Done.')] },
    ],
  });
  servers = new ModelServers(parseOllamaHost(fake.url));
  const parts = { sandbox: openUnconfined(), logPathOf: (id: string) => `/logs/${id}.jsonl` };
  test = await openTestService(
    async ({ log, config, signal }) =>
      runLoop({
        log,
        signal,
        model: await servers.modelFor(config.model),
        mode: modeOf(config),
        openTools: openToolsOf(log.runId, { ...parts, dataDir: test.dataDir }),
      }),
    {
      prepare: async (request) => ({
        config: resolveConfig(request, {
          workspace: folder.path,
          offeredTools: ['read_file', 'write_file', 'list_directory'],
        }),
        keep: () => undefined,
        discard: async () => undefined,
      }),
      hostOf: () => 'ollama',
    },
  );
  setRunService(test.service);
  setReruns(
    new Reruns({
      stored: test.service.stored,
      slots: test.service,
      admit: (models) => servers.admit(models),
      modelFor: (model) => servers.modelFor(model),
    }),
  );
  setGate(testGate({ token, port: 4120 }));
});
afterEach(async () => {
  fake.forget();
  await test.dispose();
  await servers.close();
  await fake.close();
  await folder[Symbol.asyncDispose]();
});

function request(path: string, body?: unknown, signal?: AbortSignal): Request {
  return new Request(`http://${host}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: { host, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    signal,
  });
}

async function start(body: object): Promise<string> {
  const response = await createRun(request('/api/runs', { task: 'Write a note', ...body }));
  expect(response.status).toBe(201);
  return (await response.json()).run.id;
}

async function finish(body: object): Promise<string> {
  const id = await start(body);
  await test.service.ended(id, new AbortController().signal);
  return id;
}

function rerun(runId: string, call: number | string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const params = Promise.resolve({ runId, call: String(call) });
  return rerunCall(request(`/api/runs/${runId}/calls/${call}/rerun`, body, signal), { params });
}

/** The updates of a stream, one by one. */
async function* updatesOf(response: Response): AsyncGenerator<RerunUpdate> {
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part.startsWith('data: ')) yield JSON.parse(part.slice(6));
  }
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function resultOf(response: Response) {
  const updates = await all(updatesOf(response));
  const last = updates.at(-1);
  if (last?.type !== 'result') throw new Error(`No result: ${JSON.stringify(last)}`);
  return { updates, result: last.result };
}

const logOf = async (runId: string) =>
  (await getLog(request(`/api/runs/${runId}/log`), { params: Promise.resolve({ runId }) })).text();

describe('POST /api/runs/{id}/calls/{call}/rerun', () => {
  it('sends a call again as it was, runs none of its tools, and leaves the log as it is', async () => {
    const id = await finish({ model: 'writer' });
    const note = join(folder.path, 'note.md');
    await writeFile(note, 'Changed since.');
    const log = await logOf(id);
    const sent = fake.chats.length;
    const { updates, result } = await resultOf(await rerun(id, 1, {}));
    expect(fake.chats[sent]).toEqual(fake.chats[0]);
    expect(fake.chats).toHaveLength(sent + 1);
    expect(updates.map(({ type }) => type).slice(0, 3)).toEqual(['waiting', 'loading', 'sent']);
    expect(result.parsed).toMatchObject({
      outcome: 'tool_calls',
      calls: [{ call_id: 'c1', name: 'write_file', arguments: { path: 'note.md', content: 'First.' } }],
    });
    expect(result.ended).toMatchObject({ done_reason: 'stop', reply_tokens: expect.any(Number) });
    expect(result.failed).toBeUndefined();
    expect(await readFile(note, 'utf8')).toBe('Changed since.');
    expect(await logOf(id)).toBe(log);
  });

  it('changes messages, tools, options and the model, and reads the reply with the tools it offered', async () => {
    const id = await finish({ model: 'writer', model_options: { temperature: 0.5, seed: 3 } });
    const params = Promise.resolve({ runId: id, call: '2' });
    const { body } = await (await getSent(request(`/api/runs/${id}/calls/2/request`), { params })).json();
    const tools = body.tools.filter(
      (tool: { function: { name: string } }) => tool.function.name === 'read_file',
    );
    const changes: RerunRequest = {
      model: 'other',
      messages: [{ as_sent: 0 }, { role: 'user', content: 'Read the note.' }],
      tools,
      options: { temperature: 0, seed: null, num_predict: 77 },
      think: 'low',
      stream: false,
    };
    const { result } = await resultOf(await rerun(id, 2, changes));
    const { seed: _, ...options } = body.options;
    expect(fake.chats.at(-1)).toEqual({
      ...body,
      model: 'other',
      messages: [body.messages[0], { role: 'user', content: 'Read the note.' }],
      tools,
      options: { ...options, temperature: 0, num_predict: 77 },
      think: 'low',
      stream: false,
    });
    expect(result.parsed).toMatchObject({ layer: 'json', calls: [{ name: 'read_file', layer: 'json' }] });

    const without = await resultOf(await rerun(id, 2, { ...changes, tools: [] }));
    expect(without.result.parsed).toMatchObject({ outcome: 'final_answer', calls: [] });
  });

  it('streams thinking and text while the model writes', async () => {
    const id = await finish({ model: 'writer', think: true });
    const { updates } = await resultOf(await rerun(id, 1, {}));
    const thinking = updates.flatMap((update) => (update.type === 'thinking' ? update.text : []));
    expect(thinking.join('')).toBe('A note, then.');
  });

  it('waits for its turn behind a run, and can be cancelled there and while the model is at work', async () => {
    const id = await finish({ model: 'writer' });
    const release = fake.hold('slow', { turn: 0 });
    const slow = await start({ model: 'slow' });
    await vi.waitFor(() => expect(fake.chats.at(-1)?.model).toBe('slow'));
    const cancel = new AbortController();
    const response = await rerun(id, 1, {}, cancel.signal);
    for await (const update of updatesOf(response)) {
      expect(update.type).toBe('waiting');
      if (update.type === 'waiting' && update.position === 1) break;
    }
    cancel.abort();
    release();
    await test.service.ended(slow, new AbortController().signal);
    expect(fake.chats.filter(({ model }) => model === 'writer')).toHaveLength(2);

    fake.hold('writer', { turn: 0 });
    const working = new AbortController();
    const second = await rerun(id, 1, {}, working.signal);
    for await (const update of updatesOf(second)) if (update.type === 'sent') break;
    working.abort();
    // Its slot is free again.
    const { result } = await resultOf(await rerun(id, 1, { model: 'other', stream: false }));
    expect(result.parsed?.outcome).toBe('tool_calls');
  });

  it('returns a failed call as a result, and says why another could not be sent', async () => {
    const id = await finish({ model: 'writer' });
    const { result } = await resultOf(await rerun(id, 1, { model: 'broken' }));
    expect(result).toMatchObject({ failed: { kind: 'malformed_call', error: { code: expect.any(String) } } });

    const missing = await all(updatesOf(await rerun(id, 1, { model: 'nobody:7b' })));
    expect(missing.at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'model_missing', message: expect.stringContaining('ollama pull nobody:7b') },
    });
    await fake.close();
    const down = await all(updatesOf(await rerun(id, 1, {})));
    expect(down.at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'ollama_unreachable', hint: expect.any(String) },
    });
  });

  it('refuses a remote model before anything is sent', async () => {
    const id = await finish({ model: 'writer' });
    const sent = fake.chats.length;
    const refused = await rerun(id, 1, { model: 'far-away:1b' });
    expect([refused.status, (await refused.json()).error.code]).toEqual([403, 'remote_model']);
    expect(fake.chats).toHaveLength(sent);
  });

  const tool = (name: string, parameters: unknown = { type: 'object' }) => ({
    type: 'function',
    function: { name, description: '', parameters },
  });
  it.each<[string, object, string]>([
    ['no messages', { messages: [] }, 'at least one message'],
    ['an empty message', { messages: [{ role: 'user', content: ' ' }] }, 'must not be empty'],
    ['a message that was not sent', { messages: [{ as_sent: 99 }] }, 'message 99 does not exist'],
    ['a sent message twice', { messages: [{ as_sent: 0 }, { as_sent: 0 }] }, 'message 0 is used twice'],
    [
      'calls of a user',
      { messages: [{ role: 'user', content: 'x', tool_calls: [] }] },
      'Only a message with the role "assistant"',
    ],
    ['two tools of one name', { tools: [tool('a'), tool('a')] }, 'Two tools are named "a"'],
    [
      'a schema that is no object',
      { tools: [tool('a', { type: 'array' })] },
      'tools.0.function.parameters.type',
    ],
    ['properties that are no schemas', { tools: [tool('a', { properties: { b: 1 } })] }, 'properties.b'],
    ['no window', { options: { num_ctx: null } }, 'num_ctx cannot be removed'],
    [
      'a reply without a limit',
      { options: { num_predict: -1 } },
      'num_predict must be a positive whole number',
    ],
    ['a field of another kind', { keep_alive: 5 }, 'keep_alive'],
  ])('refuses %s', async (_, body, words) => {
    const id = await finish({ model: 'writer' });
    const refused = await rerun(id, 1, body);
    const { error } = await refused.json();
    expect([refused.status, error.code]).toEqual([400, 'invalid_request']);
    expect(error.message).toContain(words);
  });

  it('refuses a call that does not exist, and more calls at once than it can hold', async () => {
    const id = await finish({ model: 'writer' });
    for (const call of [9, 'x']) {
      const refused = await rerun(id, call, {});
      expect([refused.status, (await refused.json()).error.code]).toEqual([404, 'call_not_found']);
    }
    const unknown = await rerun('nobody', 1, {});
    expect(unknown.status).toBe(404);
    fake.hold('writer', { turn: 0 });
    const open = await Promise.all(Array.from({ length: 8 }, () => rerun(id, 1, {})));
    const refused = await rerun(id, 1, {});
    expect([refused.status, (await refused.json()).error.code]).toEqual([503, 'too_many_reruns']);
    for (const response of open) await response.body?.cancel();
    const again = await vi.waitFor(async () => {
      const response = await rerun(id, 1, { model: 'other' });
      expect(response.status).toBe(200);
      return response;
    });
    expect((await resultOf(again)).result.parsed?.outcome).toBe('tool_calls');
  });
});
