import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import type { RunReply } from '../api/replies.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { scenarioFile } from '../demo/scenario.ts';
import { instantScenario } from '../testing/instant-scenario.ts';

const SECRET = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';

let ollama: FakeOllama;
let mine: LoupeServer;
let theirs: LoupeServer;

beforeAll(async () => {
  ollama = await startFakeOllama({ models: [{ name: 'short' }, { name: 'long' }] });
  ollama.add(instantScenario(7, 'short'));
  ollama.add(instantScenario(99, 'long'));
  [mine, theirs] = await Promise.all([
    startLoupe({ ollamaUrl: ollama.url }),
    startLoupe({ ollamaUrl: ollama.url }),
  ]);
});
afterAll(async () => {
  await Promise.all([mine.dispose(), theirs.dispose()]);
  await ollama.close();
});

async function start(request: Record<string, unknown>): Promise<string> {
  const answer = await mine.request('/api/runs', { json: { task: 'Count', model: 'short', ...request } });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as RunReply).run.id;
}

async function ended(id: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { run } = (await (await mine.request(`/api/runs/${id}`)).json()) as RunReply;
      expect(run.phase).toBe('ended');
    },
    { timeout: 30_000, interval: 50 },
  );
}

async function exported(server: LoupeServer, id: string, query = ''): Promise<string> {
  const answer = await server.request(`/api/runs/${id}/export?${query}`);
  expect(answer.status).toBe(200);
  return answer.text();
}

function imported(
  server: LoupeServer,
  body: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${server.url}/api/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/x-ndjson', ...headers },
    body,
  });
}

describe('a run file', () => {
  it('is byte-identical after export, import elsewhere and another export', async () => {
    const id = await start({ task: `Count with ${SECRET}` });
    await ended(id);
    const file = await exported(mine, id);
    expect(file).toContain(SECRET);
    const answer = await imported(theirs, file);
    expect(answer.status).toBe(201);
    const { run } = (await answer.json()) as RunReply;
    expect(run).toMatchObject({ id, phase: 'ended', termination_reason: 'final_answer' });
    expect(run.imported_at).toBeGreaterThan(0);
    expect(await exported(theirs, id)).toBe(file);
    expect((await imported(theirs, file)).status).toBe(200);
    // A viewer of the imported run gets the same as a viewer of the original, and the stream ends.
    const stream = async (server: LoupeServer) => (await server.request(`/api/runs/${id}/events`)).text();
    expect(await stream(theirs)).toBe(await stream(mine));
  });

  it('is read-only when imported: it cannot be stopped, messaged or resumed, and nothing in it runs', async () => {
    const release = ollama.hold('long', { turn: 1 });
    const id = await start({ model: 'long' });
    await vi.waitFor(async () => expect(await exported(mine, id)).toContain('"iteration":2'), {
      timeout: 30_000,
    });
    const file = await exported(mine, id);
    const requests = ollama.requests.length;
    expect((await imported(theirs, file)).status).toBe(201);
    const refused = async (path: string, json: unknown) => {
      const answer = await theirs.request(`/api/runs/${id}/${path}`, { json });
      return ((await answer.json()) as { error?: { code: string } }).error?.code;
    };
    expect(await refused('messages', { text: 'Hello' })).toBe('run_ended');
    expect(await (await theirs.request(`/api/runs/${id}/stop`, { json: {} })).json()).toMatchObject({
      run: { phase: 'ended', stop_requested: false },
    });
    // The stream of a log without an end closes after its last event.
    await (await theirs.request(`/api/runs/${id}/events`)).text();
    await theirs.stop();
    theirs = await startLoupe({ ollamaUrl: ollama.url, dataDir: theirs.dataDir, port: theirs.port });
    expect(await exported(theirs, id)).toBe(file);
    expect(ollama.requests.filter(({ path }) => path === '/api/chat').length).toBeLessThanOrEqual(requests);
    release();
    await mine.request(`/api/runs/${id}/stop`, { json: { force: true } });
    await ended(id);
    const later = await exported(mine, id);
    expect((await imported(theirs, later)).status).toBe(409);
  });

  it('an invalid file is refused with its line number, and nothing of it is kept', async () => {
    const id = await start({});
    await ended(id);
    const file = await exported(mine, id);
    const listed = async () => (await theirs.request('/api/runs')).text();
    const before = await listed();
    const wrong = [
      [file.replace('"seq":3', '"seq":4'), 'line'],
      [file.replaceAll(`"${id}"`, '"../../etc"'), 'is not a valid run ID'],
      [
        file
          .split('\n')
          .slice(1)
          .join('\n')
          .replaceAll(`"${id}"`, `"${'x'.repeat(5000)}"`),
        'x…" is not a valid run ID',
      ],
      [file.split('\n').slice(0, 1).join('\n'), 'has no events'],
      ['<script>alert(1)</script>', 'line 1 is not JSON'],
    ] as const;
    for (const [body, words] of wrong) {
      const answer = await imported(theirs, body);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        error: { code: 'bad_run_file', message: expect.stringContaining(words) },
      });
    }
    expect(await listed()).toBe(before);
  });

  it('a page of another origin cannot import one [threat 7]', async () => {
    expect((await imported(mine, '{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await imported(mine, '{}', { 'content-type': 'application/json' })).status).toBe(415);
    expect((await imported(mine, '{}', { origin: 'http://evil.example' })).status).toBe(403);
    expect((await imported(mine, '{}', { authorization: 'Bearer wrong' })).status).toBe(401);
  });

  it('may be larger than other request bodies, up to its own limit', async () => {
    const answer = await imported(mine, ' '.repeat(3 * 1024 * 1024));
    expect(await answer.json()).toMatchObject({ error: { code: 'bad_run_file' } });
    const large = await fetch(`${mine.url}/api/presets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mine.token}`, 'content-type': 'application/json' },
      body: ' '.repeat(3 * 1024 * 1024),
    }).then(
      (reply) => reply.status,
      () => 413, // the connection may be gone before the answer is read
    );
    expect(large).toBe(413);
  });
});

describe('the other files of a run', () => {
  it('a bug bundle is masked, has versions, model and settings, and can be imported as a run', async () => {
    const id = await start({ task: `Count with ${SECRET}` });
    await ended(id);
    const bundle = await exported(mine, id, 'format=bundle');
    expect(bundle).not.toContain(SECRET);
    expect(bundle).not.toContain(mine.token);
    expect(bundle).not.toContain(mine.dataDir);
    const [head = ''] = bundle.split('\n');
    expect(JSON.parse(head)).toMatchObject({
      format: 'loupe-bundle',
      about: {
        loupe: expect.any(String),
        model: { name: expect.stringMatching(/^short/) },
        settings: { concurrency: 1 },
      },
    });
    expect((await imported(theirs, bundle)).status).toBe(201);
    for (const plain of ['redact=0', 'show=credential']) {
      expect((await mine.request(`/api/runs/${id}/export?format=bundle&${plain}`)).status).toBe(400);
    }
  });

  it('scenario and OTLP files are masked by default', async () => {
    const id = await start({ task: `Count with ${SECRET}` });
    await ended(id);
    const scenario = await exported(mine, id, 'format=scenario');
    expect(scenario).not.toContain(SECRET);
    expect(scenarioFile.parse(JSON.parse(scenario)).scenarios).toHaveLength(1);
    expect(await exported(mine, id, 'format=spans&content=1')).not.toContain(SECRET);
    expect(await exported(mine, id, 'format=spans&content=1&redact=0')).toContain(SECRET);
    expect(await exported(mine, id, 'format=spans')).toContain('gen_ai.operation.name');
    expect((await mine.request(`/api/runs/${id}/export?format=pdf`)).status).toBe(400);
    expect((await mine.request('/api/runs/nobody/export')).status).toBe(404);
  });
});
