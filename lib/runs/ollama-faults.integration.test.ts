import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import type { RunSummary } from '../api/run-summary.ts';
import { type OpenedRunService, openRunService } from '../app/open-run-service.ts';
import { readEnvironment } from '../config/environment.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import type { FaultInput, ScenarioInput } from '../demo/scenario.ts';
import type { EventOf, RunEvent, RunEventType } from '../events/registry.ts';

// The Ollama rows of the fault matrix, each against the whole service: real HTTP, engine, tools and store.

/** The part of a broken body that an event keeps. */
const EXCERPT_CHARS = 2048;
const write = {
  name: 'write_file',
  arguments: { path: 'half.txt', content: 'half a call must never be run' },
};
const done = { reply: { content: 'The work is completed.' } };

let dataDir: string;
let ollama: FakeOllama;
let opened: OpenedRunService;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'loupe-faults-'));
  ollama = await startFakeOllama();
  opened = await openRunService(
    readEnvironment({ LOUPE_DATA_DIR: dataDir, OLLAMA_HOST: ollama.url, LOUPE_CONCURRENCY: '64' }),
  );
});
afterAll(async () => {
  await opened.close();
  await ollama.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(model: string, options: object = {}): Promise<string> {
  const workspace = join(dataDir, 'workspaces', `of-${model}`);
  mkdirSync(workspace, { recursive: true });
  const { run } = await opened.service.start(
    createRunRequest.parse({ task: 'Do it', model, workspace, stall_guard: false, ...options }),
  );
  return run.id;
}

async function ended(id: string): Promise<{ run: RunSummary; log: RunEvent[] }> {
  const run = await vi.waitFor(
    async () => {
      const found = (await opened.service.stored.get(id)).run;
      expect(found.phase).toBe('ended');
      return found;
    },
    { timeout: 50_000, interval: 50 },
  );
  const log: RunEvent[] = [];
  for await (const page of opened.service.stored.log(id)) log.push(...page);
  return { run, log };
}

function of<Type extends RunEventType>(log: readonly RunEvent[], type: Type): EventOf<Type>[] {
  return log.filter((event): event is EventOf<Type> => event.type === type);
}

interface Row {
  fault: FaultInput;
  ends: [reason: string, code: string];
  /** Calls that are made before it ends. */
  calls: number;
  live?: boolean;
}

const CUT: Row['ends'] = ['error', 'model_cut_off'];
const UNREADABLE: Row['ends'] = ['error', 'model_bad_response'];
const LATE: Row['ends'] = ['timeout', 'model_timeout'];
const HTTP: Row['ends'] = ['error', 'model_http'];
const midway = { after_tokens: 4 };
const died = 'llama runner process has terminated';

const rows: Record<string, Row> = {
  'a reset connection': { fault: { kind: 'reset' }, ends: CUT, calls: 3 },
  'a connection reset midway': { fault: { kind: 'reset', ...midway }, ends: CUT, calls: 3, live: true },
  'a connection closed midway': { fault: { kind: 'close', ...midway }, ends: CUT, calls: 3 },
  'a stream that never says done': { fault: { kind: 'no-done', ...midway }, ends: CUT, calls: 3, live: true },
  'HTML instead of JSON': { fault: { kind: 'html' }, ends: UNREADABLE, calls: 3 },
  'half a JSON body': { fault: { kind: 'cut-json' }, ends: UNREADABLE, calls: 3 },
  'an error line midway': {
    fault: { kind: 'error-line', error: died, ...midway },
    ends: HTTP,
    calls: 3,
    live: true,
  },
  'HTTP 500 with a long body': {
    fault: { kind: 'http', status: 500, body: { error: 'x'.repeat(100_000) } },
    ends: HTTP,
    calls: 3,
  },
  'HTTP 503, busy': { fault: { kind: 'busy' }, ends: ['error', 'model_busy'], calls: 3 },
  'no answer': { fault: { kind: 'hang' }, ends: LATE, calls: 1 },
  'silence midway': { fault: { kind: 'hang', ...midway }, ends: LATE, calls: 1, live: true },
  'a byte at a time': { fault: { kind: 'trickle', interval_ms: 100 }, ends: LATE, calls: 1 },
  'a stream without end': {
    fault: { kind: 'endless', words: 400 },
    ends: UNREADABLE,
    calls: 1,
    live: true,
  },
  'a body without end': { fault: { kind: 'endless' }, ends: UNREADABLE, calls: 1 },
  'a line of 10 MB': { fault: { kind: 'huge-line' }, ends: UNREADABLE, calls: 1, live: true },
};

const modelOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** The runs of the rows, started together, because they mostly pause between tries. */
const broken = new Map<string, string>();
beforeAll(async () => {
  for (const [name, { fault, live }] of Object.entries(rows)) {
    const reply = { content: 'Half of a reply that breaks off here.', tool_calls: [write] };
    ollama.add({ name: modelOf(name), steps: [{ fault, reply }] });
    broken.set(name, await start(modelOf(name), { call_timeout_seconds: 5, live_tokens: live ?? false }));
  }
});

describe('fault matrix: Ollama fails for good', () => {
  it.each(Object.entries(rows))('%s', async (name, { ends, calls }) => {
    const { run, log } = await ended(broken.get(name) ?? '');
    const [reason, code] = ends;
    expect(run.termination_reason).toBe(reason);
    expect(of(log, 'run.ended')[0]?.result.error).toMatchObject({ code, hint: expect.any(String) });
    const failed = of(log, 'model-call.failed');
    expect(failed).toHaveLength(calls);
    for (const { error, raw = '' } of failed) {
      expect(error.message.length + raw.length).toBeLessThan(EXCERPT_CHARS);
    }
    expect(of(log, 'policy.retried')).toHaveLength(calls - 1);
    expect(run.tool_calls).toBe(0);
    expect(existsSync(join(dataDir, 'workspaces', `of-${modelOf(name)}`, 'half.txt'))).toBe(false);
  });

  it('a model that is not installed is reported immediately, with the command to pull it', async () => {
    const plain = await startFakeOllama({
      models: [{ name: 'installed' }],
      scenarios: [{ name: 'other', steps: [done] }],
    });
    const elsewhere = await openElsewhere(plain.url);
    const { run } = await elsewhere.opened.service.start(request('missing:7b'));
    await vi.waitFor(
      async () =>
        expect((await elsewhere.opened.service.stored.get(run.id)).run).toMatchObject({
          termination_reason: 'error',
          message: expect.stringContaining('missing:7b'),
        }),
      { timeout: 20_000 },
    );
    expect(plain.chats).toHaveLength(0);
    await elsewhere.dispose();
    await plain.close();
  });
});

describe('fault matrix: Ollama comes back', () => {
  it.concurrent.each([
    ['a connection reset midway', { kind: 'reset', ...midway }],
    ['a busy server', { kind: 'busy' }],
    ['an error', { kind: 'error-line', error: died }],
  ] as [string, FaultInput][])('%s that passes is tried again, and the run goes on', async (name, fault) => {
    const model = `once-${name.replaceAll(/[^a-z]+/g, '-')}`;
    ollama.add({ name: model, steps: [{ attempts: [{ fault }, done] }] });
    const { run, log } = await ended(await start(model));
    expect(run.termination_reason).toBe('final_answer');
    expect(of(log, 'policy.retried')).toHaveLength(1);
  });

  it.concurrent('a run continues when Ollama is killed and restarted', async () => {
    const scenario: ScenarioInput = {
      name: 'long',
      pace: { prompt_ms: 50 },
      steps: [{ repeat: 12, steps: [{ reply: { tool_calls: [writeMany] } }] }, done],
    };
    let mortal = await startFakeOllama({ scenarios: [scenario], record: false });
    const { port, url } = mortal;
    const elsewhere = await openElsewhere(url);
    const { service } = elsewhere.opened;
    const { run } = await service.start(request('long'));
    const get = async () => (await service.stored.get(run.id)).run;
    await vi.waitFor(async () => expect((await get()).tool_calls).toBeGreaterThan(2), { timeout: 20_000 });
    await mortal.close();
    const health = await service.health(undefined, new AbortController().signal);
    expect(health).toMatchObject({
      status: 'down',
      ollama: { ok: false, error: { code: 'ollama_unreachable' } },
    });
    await vi.waitFor(async () => {
      const log: RunEvent[] = [];
      for await (const page of service.stored.log(run.id)) log.push(...page);
      expect(of(log, 'server-wait.started').length).toBeGreaterThan(0);
    });
    mortal = await startFakeOllama({ scenarios: [scenario], record: false, port });
    await vi.waitFor(async () => expect((await get()).termination_reason).toBe('final_answer'), {
      timeout: 30_000,
    });
    expect(await get()).toMatchObject({ tool_calls: 12 });
    await elsewhere.dispose();
    await mortal.close();
  });

  it.concurrent('without patience for Ollama, a run ends with a hint when it is down, and the server continues', async () => {
    const elsewhere = await openElsewhere('http://127.0.0.1:1');
    const { service } = elsewhere.opened;
    const { run } = await service.start({ ...request('any'), server_wait_seconds: 0 });
    await vi.waitFor(
      async () =>
        expect((await service.stored.get(run.id)).run).toMatchObject({
          termination_reason: 'error',
          message: expect.stringContaining('Ollama'),
        }),
      { timeout: 30_000 },
    );
    expect(await service.health('any', new AbortController().signal)).toMatchObject({ status: 'down' });
    await elsewhere.dispose();
  });
});

describe('fault matrix: stopped in each phase, first after the step, then immediately', () => {
  const phases: Record<string, { model: ScenarioInput; until: RunEventType }> = {
    'while the model loads': {
      model: { name: 'stop-load', pace: { load_ms: 600_000 }, steps: [done] },
      until: 'model.load-started',
    },
    'while the model writes': {
      model: { name: 'stop-call', steps: [{ fault: { kind: 'hang' } }] },
      until: 'model-call.started',
    },
    'while a command runs': {
      model: {
        name: 'stop-tool',
        steps: [{ reply: { tool_calls: [{ name: 'run_command', arguments: { command: 'sleep 600' } }] } }],
      },
      until: 'tool-call.started',
    },
  };

  it.for(Object.entries(phases))('%s', async ([_, { model, until }], { skip }) => {
    const { service } = opened;
    const { sandbox } = await service.health(undefined, new AbortController().signal);
    if (until === 'tool-call.started' && !sandbox.available) skip('commands cannot be confined here');
    ollama.add(model);
    const id = await start(model.name);
    const types = async () => {
      const log: RunEvent[] = [];
      for await (const page of service.stored.log(id)) log.push(...page);
      return log.map(({ type }) => type);
    };
    await vi.waitFor(async () => expect(await types()).toContain(until), { timeout: 20_000 });
    await Promise.all([1, 2, 3].map(() => service.stop(id, { force: false })));
    expect((await service.stored.get(id)).run).toMatchObject({ stop_requested: true });
    await Promise.all([1, 2, 3].map(() => service.stop(id, { force: true })));
    const { run, log } = await ended(id);
    expect(run.termination_reason).toBe('stopped');
    expect(of(log, 'stop.requested').map(({ force }) => force)).toEqual([false, true]);
  });

  it('during the wait before a retry, the first stop is enough', async () => {
    ollama.add({ name: 'stop-pause', steps: [{ fault: { kind: 'busy' } }] });
    const id = await start('stop-pause');
    await vi.waitFor(
      async () => expect((await opened.service.stored.get(id)).run.last_seq).toBeGreaterThan(6),
      {
        timeout: 20_000,
      },
    );
    await opened.service.stop(id, { force: false });
    expect((await ended(id)).run.termination_reason).toBe('stopped');
  });
});

const writeMany = { name: 'write_file', arguments: { path: 'file-{{n}}.txt', content: 'x' } };

function request(model: string) {
  return createRunRequest.parse({ task: 'Do it', model, stall_guard: false, max_iterations: 50 });
}

async function openElsewhere(ollamaUrl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'loupe-elsewhere-'));
  const service = await openRunService(readEnvironment({ LOUPE_DATA_DIR: folder, OLLAMA_HOST: ollamaUrl }));
  return {
    opened: service,
    async dispose() {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
