import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { experimentRequest } from '../api/experiment.ts';
import { forkRequest } from '../api/fork-run.ts';
import { type OpenedRunService, openRunService } from '../app/open-run-service.ts';
import { readEnvironment } from '../config/environment.ts';
import { type FakeOllama, type FakeOllamaOptions, startFakeOllama } from '../demo/fake-ollama.ts';
import { statusOf } from '../http/http-error.ts';
import { parseOllamaHost } from '../model/ollama-host.ts';
import { listedModels } from '../testing/listed-models.ts';
import { createOllamaChatModel } from '../testing/ollama-chat-model.ts';
import { ModelServers } from './model-servers.ts';

const signal = new AbortController().signal;
const models: FakeOllamaOptions['models'] = [
  { name: 'first', capabilities: ['completion', 'tools'] },
  { name: 'copy', copy_of: 'first' },
  { name: 'derived', from: 'first' },
  { name: 'other' },
  { name: 'far', remote_host: 'https://ollama.com:443', remote_model: 'gpt-oss:120b' },
  { name: 'vectors', capabilities: ['embedding'] },
];

let fake: FakeOllama;
afterEach(() => fake?.close());

async function start(change: FakeOllamaOptions = {}, options: { allowRemoteModels?: boolean } = {}) {
  fake = await startFakeOllama({ models, ...change });
  const host = parseOllamaHost(fake.url);
  return { servers: new ModelServers(host, options), model: createOllamaChatModel({ host }) };
}

it('forgets the details of a model when it is pulled again', async () => {
  const { servers } = await start({ library: [{ model: { name: 'other', capabilities: ['embedding'] } }] });
  await servers.admit({ model: 'other' });
  await servers.pull('other', { signal, onProgress: () => {} });
  await expect(servers.admit({ model: 'other' })).rejects.toMatchObject({ code: 'model_no_completion' });
});

it('asks for what a run asks first while it admits the model', async () => {
  const { servers } = await start();
  await servers.admit({ model: 'first' });
  const model = await servers.modelFor('first');
  const before = fake.requests.length;
  await Promise.all([model.ping(), model.show('first')]);
  await vi.waitFor(() => expect(fake.requests.map(({ path }) => path)).toContain('/api/ps'));
  const asked = fake.requests.slice(before).map(({ path }) => path);
  for (const path of ['/api/show', '/api/tags', '/api/version']) {
    expect(fake.requests.filter((request) => request.path === path)).toHaveLength(1);
  }
  expect(asked).not.toContain('/api/show');
});

describe('the list of models', () => {
  it('says that it is unknown what is in memory if the server does not list it', async () => {
    const { servers } = await start({
      faults: { '/api/ps': { kind: 'http', status: 404, body: '404 page not found' } },
    });
    const { models: listed, ollama } = await servers.list();
    expect(ollama).toBe('ok');
    const first = listed.find(({ name }) => name.startsWith('first'));
    expect(first).toMatchObject({ memory: 'unknown' });
    expect(first?.loaded).toBeUndefined();
  });

  it('shows every model that shares a runner as loaded, and under which name', async () => {
    const { servers, model } = await start();
    await model.load({ model: 'first', numCtx: 4096, keepAlive: '5m' }, { signal, timeoutMs: 5000 });
    const list = (await listedModels(servers)).filter(({ demo }) => !demo);
    const loadedAs = list.map(({ name, memory, loaded }) => [
      name,
      memory,
      loaded && (loaded.loaded_as ?? 'itself'),
    ]);
    expect(loadedAs).toEqual([
      ['first:latest', 'loaded', 'itself'],
      ['copy:latest', 'loaded', 'first:latest'],
      ['derived:latest', 'loaded', 'first:latest'],
      ['other:latest', 'not_loaded', undefined],
      ['far:latest', 'not_loaded', undefined],
      ['vectors:latest', 'not_loaded', undefined],
    ]);
    expect(await servers.namesOfRunner('derived', signal)).toEqual([
      'derived:latest',
      'first:latest',
      'copy:latest',
    ]);
    expect(await servers.namesOfRunner('far', signal)).toEqual(['far:latest']);
  });

  it('shows unknown if the server does not report the files of a runner', async () => {
    const { servers, model } = await start({
      faults: { '/api/show': { kind: 'http', status: 500, body: { error: 'no' } } },
    });
    await model.load({ model: 'first', numCtx: 4096, keepAlive: '5m' }, { signal, timeoutMs: 5000 });
    const list = await listedModels(servers);
    expect(list.find(({ name }) => name === 'derived:latest')).toMatchObject({ memory: 'unknown' });
    expect(list.find(({ name }) => name === 'copy:latest')).toMatchObject({ memory: 'loaded' });
  });

  it.each([false, true])('shows where a model runs, and whether that is allowed: %s', async (allowed) => {
    const { servers } = await start({}, { allowRemoteModels: allowed });
    const list = await listedModels(servers);
    expect(list.filter(({ remote }) => remote).map(({ name, remote }) => [name, remote])).toEqual([
      ['far:latest', { host: 'ollama.com', model: 'gpt-oss:120b', allowed }],
    ]);
  });
});

it('starts a run if Ollama does not answer in time', async () => {
  const { servers } = await start({ faults: { '/api/show': { kind: 'hang' } } });
  const startedAt = performance.now();
  await servers.admit({ model: 'far' });
  expect(performance.now() - startedAt).toBeLessThan(5000);
});

it('reports a remote model as not ready if it is not allowed', async () => {
  const { servers } = await start();
  expect((await servers.check('far')).model).toMatchObject({
    ok: false,
    error: { code: 'remote_model' },
  });
});

describe('without permission for remote models', () => {
  let opened: OpenedRunService;
  let dataDir: string;
  afterEach(async () => {
    await opened.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function open(env: Record<string, string> = {}) {
    fake = await startFakeOllama({
      models,
      scenarios: [{ name: 'answers', model: 'first', steps: [{ reply: { content: 'Done.' } }] }],
    });
    dataDir = mkdtempSync(join(tmpdir(), 'loupe-remote-'));
    opened = await openRunService(
      readEnvironment({ LOUPE_DATA_DIR: dataDir, LOUPE_MIN_FREE_MB: '0', OLLAMA_HOST: fake.url, ...env }),
    );
    return opened;
  }

  const run = (change: object) => createRunRequest.parse({ task: 'A secret', ...change });
  const plan = (change: object) =>
    experimentRequest.parse({ name: 'Two', mode: 'task', task: 'A secret', ...change });
  const refused = (code: string) => expect.objectContaining({ code, hint: expect.any(String) });
  const roaming = { mode: 'explore', diversity: { embedding_model: 'far' } };

  it('rejects runs, forks, experiments and checks with them, and sends Ollama nothing', async () => {
    const { service, experiments, checks } = await open();
    const remote = refused('remote_model');
    await expect(service.start(run({ model: 'far' }))).rejects.toEqual(remote);
    await expect(service.start(run({ model: 'any:cloud' }))).rejects.toEqual(remote);
    await expect(service.start(run({ model: 'first', ...roaming, task: '' }))).rejects.toEqual(remote);
    await expect(experiments.create(plan({ models: ['first', 'far'] }))).rejects.toEqual(remote);
    const explore = {
      models: ['first'],
      mode: 'explore',
      settings: { diversity: { embedding_model: 'far' } },
    };
    await expect(experiments.create(plan({ ...explore, task: undefined }))).rejects.toEqual(remote);
    const answered = { operator_policy: 'model', operator_model: 'far' };
    await expect(
      service.start(run({ model: 'first', mode: 'explore', ...answered, task: undefined })),
    ).rejects.toEqual(remote);
    await expect(
      experiments.create(plan({ ...explore, settings: answered, task: undefined })),
    ).rejects.toEqual(remote);
    expect((await service.stored.list({ limit: 10 })).length).toBe(0);
    checks.start('far');
    await expect
      .poll(() => checks.current())
      .toMatchObject({
        status: 'failed',
        error: { code: 'remote_model', hint: expect.stringContaining('LOUPE_ALLOW_REMOTE_MODELS') },
      });
    expect(fake.requests.filter(({ path }) => path === '/api/chat' || path === '/api/embed')).toEqual([]);

    const parent = await service.start(run({ model: 'first' }));
    await service.ended(parent.run.id, signal);
    const fork = forkRequest.parse({ at: { end: true }, settings: { model: 'far' } });
    await expect(service.fork(parent.run.id, fork)).rejects.toEqual(remote);
    expect(await service.stored.list({ limit: 10 })).toHaveLength(1);
  });

  it('rejects a run with an embedding-only model', async () => {
    const { service } = await open();
    const error = await service.start(run({ model: 'vectors' })).catch((caught) => caught);
    expect(error).toEqual(refused('model_no_completion'));
    expect(statusOf(error)).toBe(409);
  });

  it('rejects an exploration whose messages an embedding-only model would answer', async () => {
    const { service, experiments } = await open();
    const settings = { operator_policy: 'model', operator_model: 'vectors' };
    const explore = { mode: 'explore', task: undefined };
    await expect(service.start(run({ ...explore, model: 'first', ...settings }))).rejects.toEqual(
      refused('model_no_completion'),
    );
    await expect(experiments.create(plan({ ...explore, models: ['first'], settings }))).rejects.toEqual(
      refused('model_no_completion'),
    );
  });

  const further = [
    {
      fields: { mode: 'explore', task: undefined },
      settings: { diversity: { embedding_model: 'vektors' } },
      field: 'diversity.embedding_model',
    },
    {
      fields: { mode: 'task' },
      settings: { checks: [{ type: 'rubric', criteria: 'Is polite.', model: 'vektors' }] },
      field: 'checks',
    },
  ];

  it.each(further)('rejects a misspelled model in $field before a run begins', async (one) => {
    const { fields, settings, field } = one;
    const { service, experiments } = await open();
    const missing = {
      code: 'invalid_request',
      message: `${field}: Model "vektors" is missing. Did you mean "vectors"?`,
    };
    const started = service.start(run({ ...fields, ...settings, model: 'first' }));
    await expect(started).rejects.toMatchObject(missing);
    const created = experiments.create(plan({ ...fields, settings, models: ['first'] }));
    await expect(created).rejects.toMatchObject(missing);
  });

  it.each(further)('takes any model in $field while the server is down', async ({ fields, settings }) => {
    const { service } = await open();
    await fake.close();
    const request = run({ ...fields, ...settings, model: 'first', server_wait_seconds: 0 });
    const { run: started } = await service.start(request);
    await service.ended(started.id, signal);
  });

  it('rejects a judge that only makes embeddings, and one on another machine', async () => {
    const { service } = await open();
    const judged = (model: string) =>
      service.start(run({ model: 'first', checks: [{ type: 'rubric', criteria: 'Is polite.', model }] }));
    await expect(judged('vectors')).rejects.toEqual(refused('model_no_completion'));
    await expect(judged('far')).rejects.toEqual(refused('remote_model'));
  });

  it('forks a run whose judge is missing', async () => {
    const { service } = await open();
    const checks = [{ type: 'rubric', criteria: 'Is polite.', model: 'gone' }];
    // Nothing is known of a model while the server does not respond.
    const release = fake.freeze();
    const parent = await service.start(run({ model: 'first', checks }));
    release();
    await service.ended(parent.run.id, signal);
    const { run: fork } = await service.fork(parent.run.id, forkRequest.parse({ at: { end: true } }));
    await service.ended(fork.id, signal);
  });

  it('checks each model that a factor names', async () => {
    const { experiments } = await open();
    const factors = { operator_model: ['vectors', 'first'] };
    const asked = { models: ['first'], mode: 'explore', task: undefined, cycles: 1, factors };
    await expect(
      experiments.create(plan({ ...asked, settings: { operator_policy: 'model' } })),
    ).rejects.toEqual(refused('model_no_completion'));
  });

  it('uses them if the setting allows it', async () => {
    const { service } = await open({ LOUPE_ALLOW_REMOTE_MODELS: '1' });
    fake.add({ name: 'afar', model: 'far', steps: [{ reply: { content: 'From afar.' } }] });
    const { run: started } = await service.start(run({ model: 'far', agentic: false }));
    await service.ended(started.id, signal);
    const events = [];
    for await (const page of service.stored.log(started.id)) events.push(...page);
    expect(events.find(({ type }) => type === 'preflight.checked')).toMatchObject({
      remote_host: 'ollama.com',
    });
    expect(events.find(({ type }) => type === 'model.loaded')).toMatchObject({
      remote_host: 'ollama.com',
      already_loaded: false,
      load_ms: 0,
    });
    expect(events.at(-1)).toMatchObject({ type: 'run.ended', result: { output: 'From afar.' } });
  });
});
