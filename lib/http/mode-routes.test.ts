import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { POST as continueExperiment } from '../../app/api/experiments/[experimentId]/continue/route.ts';
import { GET as getResults } from '../../app/api/experiments/[experimentId]/results/route.ts';
import {
  DELETE as deleteExperiment,
  GET as getExperiment,
} from '../../app/api/experiments/[experimentId]/route.ts';
import { POST as stopExperiment } from '../../app/api/experiments/[experimentId]/stop/route.ts';
import { POST as createExperiment, GET as listExperiments } from '../../app/api/experiments/route.ts';
import { GET as getLog } from '../../app/api/runs/[runId]/log/route.ts';
import { POST as sendMessage } from '../../app/api/runs/[runId]/messages/route.ts';
import { POST as createRun } from '../../app/api/runs/route.ts';
import { experimentRequest } from '../api/experiment.ts';
import { setExperiments } from '../app/current-experiments.ts';
import { setRunService } from '../app/current-service.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { runLoop } from '../engine/run-loop.ts';
import { Experiments, type RunsOfExperiment } from '../experiments/experiments.ts';
import { requestOf } from '../experiments/plan-runs.ts';
import { parseOllamaHost } from '../model/ollama-host.ts';
import { modeOf } from '../modes/mode-of.ts';
import { resolveConfig } from '../modes/resolve-config.ts';
import { openToolsOf } from '../runs/open-tools.ts';
import { Suites } from '../runs/suites.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import { type TemporaryFolder, temporaryFolder } from '../sandbox/under-test.ts';
import { sessionLogEntry } from '../sharing/exports/session-log.ts';
import { exploreLogEntry } from '../testing/explore-log-entry.ts';
import { calls, says, silence } from '../testing/loop-harness.ts';
import { createOllamaChatModel } from '../testing/ollama-chat-model.ts';
import { openTestService, type TestService } from '../testing/test-service.ts';
import { setGate } from './current-gate.ts';
import { testGate } from './test-gate.ts';

const token = 'operator-token-0123456789abcdef';
const host = '127.0.0.1:4120';

let test: TestService;
let fake: FakeOllama;
let folder: TemporaryFolder;
let runs: RunsOfExperiment;
let experiments: Experiments;
let suites: Suites;

beforeEach(async () => {
  folder = await temporaryFolder();
  fake = await startFakeOllama({
    scenarios: [
      { name: 'talk', pace: { prompt_ms: 60 }, steps: [says('Hello.'), silence, silence, silence] },
      {
        name: 'roam',
        steps: [calls({ name: 'write', arguments: { key: 'a', value: 'b' } }), says('I wrote it.')],
      },
    ],
  });
  const parts = { sandbox: openUnconfined(), logPathOf: (id: string) => `/logs/${id}.jsonl` };
  test = await openTestService(
    ({ log, config, signal }) =>
      runLoop({
        log,
        signal,
        model: createOllamaChatModel({ host: parseOllamaHost(fake.url) }),
        mode: modeOf(config),
        openTools: openToolsOf(log.runId, { ...parts, dataDir: test.dataDir }),
      }),
    {
      prepare: async (request) => ({
        config: resolveConfig(request, { workspace: folder.path, offeredTools: [] }),
        keep: () => undefined,
        discard: async () => undefined,
      }),
    },
  );
  suites = new Suites({
    store: test.store,
    runOf: (id) => test.service.stored.get(id),
    newId: () => 'suite-1',
    now: () => 1,
  });
  runs = {
    admit: async () => undefined,
    start: async (request, options) => (await test.service.start(request, options)).run.id,
    stop: (id, options) => test.service.stop(id, options),
    delete: (ids) => test.service.organizer.delete(ids),
    log: (id) => test.service.stored.log(id),
    agreement: (ids, signal) => test.service.stored.agreement(ids, signal),
    ended: (id, signal) => test.service.ended(id, signal),
  };
  experiments = new Experiments({ store: test.store, newId: () => 'exp-1', runs, suites });
  setRunService(test.service);
  setExperiments(experiments);
  setGate(testGate({ token, port: 4120 }));
});
afterEach(async () => {
  await experiments.close();
  await test.dispose();
  await fake.close();
  await folder[Symbol.asyncDispose]();
});

function request(path: string, body?: unknown): Request {
  return new Request(`http://${host}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: { host, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
}
const ofRun = (runId: string) => ({ params: Promise.resolve({ runId }) });
const ofExperiment = (experimentId: string) => ({ params: Promise.resolve({ experimentId }) });
const lines = async (response: Response): Promise<unknown[]> =>
  (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

async function start(body: object): Promise<string> {
  const response = await createRun(request('/api/runs', body));
  expect(response.status).toBe(201);
  return (await response.json()).run.id;
}

it('POST messages stores a message, and a session has its own log format', async () => {
  const id = await start({ mode: 'session', autopilot: true, model: 'talk' });
  const sent = await sendMessage(request(`/api/runs/${id}/messages`, { text: ' Good day. ' }), ofRun(id));
  expect(sent.status).toBe(202);
  expect(await sent.json()).toMatchObject({
    run: { id, mode: 'session', title: 'Session' },
    message: { id: 'm1', text: 'Good day.', status: 'queued' },
  });
  await test.service.ended(id, new AbortController().signal);
  const events = await lines(await getLog(request(`/api/runs/${id}/log`), ofRun(id)));
  expect(events).toContainEqual(expect.objectContaining({ type: 'operator.delivered', message_ids: ['m1'] }));

  const response = await getLog(request(`/api/runs/${id}/log?format=session`), ofRun(id));
  expect(response.headers.get('content-disposition')).toContain(`loupe-${id}-session.jsonl`);
  const entries = (await lines(response)).map((line) => sessionLogEntry.parse(line));
  expect(entries[0]).toMatchObject({ event: 'session_start', log_path: `/logs/${id}.jsonl` });
  expect(entries.at(-1)).toMatchObject({ event: 'session_end', reason: 'error' });

  const asked = await getLog(request(`/api/runs/${id}/log?format=session&redact=1`), ofRun(id));
  const masked = (await lines(asked)).map((line) => sessionLogEntry.parse(line));
  expect(masked).toHaveLength(entries.length);
  expect(masked[0]).toMatchObject({ event: 'session_start', workspace: '‹workspace 1›' });

  const late = await sendMessage(request(`/api/runs/${id}/messages`, { text: 'Too late.' }), ofRun(id));
  expect([late.status, (await late.json()).error.code]).toEqual([409, 'run_ended']);
});

it('an exploration has its own log format, and other formats are rejected', async () => {
  const id = await start({ mode: 'explore', model: 'roam', max_cycles: 1 });
  await test.service.ended(id, new AbortController().signal);
  const response = await getLog(request(`/api/runs/${id}/log?format=explore`), ofRun(id));
  const entries = (await lines(response)).map((line) => exploreLogEntry.parse(line));
  expect(entries.map(({ event_type }) => event_type)).toEqual([
    'LLM_INVOCATION',
    'TOOL_CALL',
    'LLM_INVOCATION',
  ]);
  for (const format of ['session', 'nonsense']) {
    const refused = await getLog(request(`/api/runs/${id}/log?format=${format}`), ofRun(id));
    const { error } = await refused.json();
    expect([refused.status, error.code]).toEqual([400, 'invalid_request']);
    // `loupe export` then writes a run file.
    expect(`${error.message} ${error.hint}`).toMatch(/format "events"|one of events/);
  }
});

it.each([{}, { text: '  ' }, { text: 'x'.repeat(8001) }, { text: 'x', extra: 1 }])(
  'rejects the message %j',
  async (body) => {
    const id = await start({ mode: 'explore', model: 'roam', max_cycles: 1 });
    const refused = await sendMessage(request(`/api/runs/${id}/messages`, body), ofRun(id));
    expect([refused.status, (await refused.json()).error.code]).toEqual([400, 'invalid_request']);
  },
);

it('runs an experiment from its plan to its results', async () => {
  const plan = { name: 'Roaming', models: ['roam'], seeds: [1, 2], cycles: 1 };
  const created = await createExperiment(request('/api/experiments', plan));
  expect(created.status).toBe(201);
  expect(created.headers.get('location')).toBe('/api/experiments/exp-1');
  await vi.waitFor(
    async () => {
      const reply = await (
        await getExperiment(request('/api/experiments/exp-1'), ofExperiment('exp-1'))
      ).json();
      expect(reply.experiment).toMatchObject({ status: 'finished', done: 2, total: 2 });
    },
    { timeout: 20_000 },
  );
  const list = await (await listExperiments(request('/api/experiments'))).json();
  expect(list.experiments).toMatchObject([{ id: 'exp-1', name: 'Roaming' }]);
  const results = (format: string) =>
    getResults(request(`/api/experiments/exp-1/results?format=${format}`), ofExperiment('exp-1'));
  expect(await lines(await results('jsonl'))).toMatchObject([
    { position: 1, seed: 1, result: { cycles: 1 } },
    { position: 2, seed: 2 },
  ]);
  const csv = await results('csv');
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect((await csv.text()).split('\r\n')).toHaveLength(4);
  expect((await results('xml')).status).toBe(400);
  for (const act of [stopExperiment, continueExperiment]) {
    const response = await act(request('/api/experiments/exp-1/x', {}), ofExperiment('exp-1'));
    expect((await response.json()).experiment.status).toBe('finished');
    const missing = await act(request('/api/experiments/none/x', {}), ofExperiment('none'));
    expect([missing.status, (await missing.json()).error.code]).toEqual([404, 'experiment_not_found']);
  }
});

it('creates one experiment for requests with the same key, and says so', async () => {
  const post = async (plan: object, key = 'the-key') => {
    const asked = request('/api/experiments', { name: 'Once', models: ['roam'], cycles: 1, ...plan });
    asked.headers.set('idempotency-key', key);
    const answer = await createExperiment(asked);
    return { status: answer.status, place: answer.headers.get('location'), body: await answer.json() };
  };
  const [first, again] = [await post({}), await post({})];
  const place = '/api/experiments/exp-1';
  expect([first, again]).toMatchObject([
    { status: 201, place, body: { experiment: { id: 'exp-1' } } },
    { status: 200, place, body: { experiment: { id: 'exp-1' }, items: [{ position: 1 }] } },
  ]);
  expect(Object.keys(again.body).sort()).toEqual(Object.keys(first.body).sort());
  expect(await post({ repeats: 2 })).toMatchObject({
    status: 409,
    body: { error: { code: 'idempotency_conflict', hint: 'Use a new key for a new experiment.' } },
  });
  expect(await post({}, 'two words')).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_request', message: expect.stringContaining('Idempotency-Key') } },
  });
  await experiments.stop('exp-1', { force: true });
  await vi.waitFor(() => experiments.delete('exp-1', { runs: false }), { timeout: 20_000 });
  expect(await post({})).toMatchObject({ status: 410, body: { error: { code: 'experiment_deleted' } } });
});

it('deletes an experiment and keeps its runs', async () => {
  const remove = (id: string, query = '') => {
    const asked = new Request(`http://${host}/api/experiments/${id}${query}`, {
      method: 'DELETE',
      headers: { host, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    return deleteExperiment(asked, ofExperiment(id));
  };
  const plan = { name: 'Roaming', models: ['roam'], cycles: 1 };
  await createExperiment(request('/api/experiments', plan));
  const refused = await remove('exp-1');
  expect([refused.status, (await refused.json()).error.code]).toEqual([409, 'experiment_not_ended']);
  await vi.waitFor(async () => expect((await experiments.get('exp-1')).experiment.status).toBe('finished'), {
    timeout: 20_000,
  });
  expect((await remove('exp-1', '?runs=yes')).status).toBe(400);
  const removed = await remove('exp-1');
  expect([removed.status, await removed.json()]).toEqual([200, { deleted: 'exp-1', runs: [] }]);
  expect(await test.service.stored.list({ limit: 5 })).toHaveLength(1);
  expect((await remove('exp-1')).status).toBe(404);
});

it('stops an experiment without a worker, and lets its current run finish', async () => {
  const nobody = new Experiments({
    store: test.store,
    newId: () => 'exp-1',
    runs,
    suites,
    holder: { hold: async () => false, keep: async () => false, release: async () => undefined },
  });
  const plan = { name: 'Left', mode: 'explore', models: ['roam'], cycles: 1, repeats: 2 };
  const { experiment, items } = await nobody.create(experimentRequest.parse(plan));
  const [first, second] = items;
  if (!first || !second) throw new Error('Two runs were planned.');
  const run_id = await runs.start(requestOf(experiment.plan, first), {
    idempotencyKey: 'experiment:exp-1:1',
    family: 'exp-1',
  });
  await test.store.saveExperiment({ ...experiment, status: 'running' }, [
    { ...first, status: 'running', run_id },
    second,
  ]);

  const stopped = await stopExperiment(request('/api/experiments/exp-1/stop', {}), ofExperiment('exp-1'));
  expect((await stopped.json()).experiment.status).toBe('stopped');
  await vi.waitFor(async () =>
    expect((await experiments.get('exp-1')).items.map(({ status }) => status)).toEqual(['done', 'waiting']),
  );
  expect((await experiments.get('exp-1')).experiment.status).toBe('stopped');
});

it('reports what is wrong with a plan', async () => {
  const refused = await createExperiment(
    request('/api/experiments', { name: 'Odd', models: ['roam'], settings: { tier: 'complex' } }),
  );
  expect(refused.status).toBe(400);
  expect((await refused.json()).error.message).toContain('tier');
});
