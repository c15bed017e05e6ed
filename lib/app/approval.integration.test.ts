import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import type { HealthReply, RunReply } from '../api/replies.ts';
import type { RunSummary } from '../api/run-summary.ts';
import type { StandingApprovalListReply } from '../api/standing-approval.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import type { RunEvent } from '../events/registry.ts';
import { eventsOf } from '../testing/events-of.ts';

const write = (content: string) => ({ name: 'write_file', arguments: { path: 'note.txt', content } });
const done = { reply: { content: 'The task is completed.' } };

let ollama: FakeOllama;
let folder: string;

beforeAll(async () => {
  ollama = await startFakeOllama({ record: true });
  ollama.add({ name: 'writer', steps: [{ reply: { tool_calls: [write('from the model')] } }, done] });
  ollama.add({
    name: 'commander',
    steps: [
      {
        reply: {
          tool_calls: [{ name: 'run_command', arguments: { command: 'pwd; echo x >> effects.txt' } }],
        },
      },
      done,
    ],
  });
  ollama.add({ name: 'hang', steps: [{ fault: { kind: 'hang' } }] });
  folder = mkdtempSync(join(tmpdir(), 'loupe-approval-'));
});
afterAll(async () => {
  await ollama.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (...tools: string[]) => ({ tools: Object.fromEntries(tools.map((tool) => [tool, 'ask'])) });

async function start(loupe: LoupeServer, json: Record<string, unknown>): Promise<RunReply> {
  const answer = await loupe.request('/api/runs', { json: { task: 'Do it', ...json } });
  expect(answer.status).toBe(201);
  return (await answer.json()) as RunReply;
}

async function inPhase(loupe: LoupeServer, id: string, phase: string): Promise<RunSummary> {
  return vi.waitFor(
    async () => {
      const { run } = (await (await loupe.request(`/api/runs/${id}`)).json()) as RunReply;
      expect(run.phase).toBe(phase);
      return run;
    },
    { timeout: 30_000, interval: 50 },
  );
}

async function log(loupe: LoupeServer, id: string): Promise<RunEvent[]> {
  const text = await (await loupe.request(`/api/runs/${id}/log`)).text();
  return text
    .trimEnd()
    .split('\n')
    .map((line): RunEvent => JSON.parse(line));
}

async function waitingCall(loupe: LoupeServer, id: string): Promise<string> {
  await inPhase(loupe, id, 'awaiting-approval');
  return eventsOf(await log(loupe, id), 'approval.requested').at(-1)?.call_id ?? '';
}

async function decide(
  loupe: LoupeServer,
  id: string,
  json: Record<string, unknown>,
): Promise<[status: number, code: string | undefined]> {
  const answer = await loupe.request(`/api/runs/${id}/approvals`, { json });
  const body = (await answer.json()) as { error?: { code: string } };
  return [answer.status, body.error?.code];
}

describe('approval through the interface', () => {
  let loupe: LoupeServer;
  beforeAll(async () => {
    loupe = await startLoupe({ ollamaUrl: ollama.url });
  });
  afterAll(() => loupe.dispose());

  it('runs an edited call once, and tells the model', async () => {
    const { run, config } = await start(loupe, { model: 'writer', approval: ask('write_file') });
    const call_id = await waitingCall(loupe, run.id);
    const file = join(config.workspace, 'note.txt');
    expect(existsSync(file)).toBe(false);
    expect(await decide(loupe, run.id, { call_id, decision: 'edited', arguments: { path: 1 } })).toEqual([
      400,
      'invalid_request',
    ]);
    expect(await decide(loupe, run.id, { call_id: 'none', decision: 'approved' })).toEqual([
      404,
      'approval_not_found',
    ]);
    const edited = {
      call_id,
      decision: 'edited',
      arguments: { path: 'note.txt', content: 'from the operator' },
    };
    // Ten identical requests at the same time count as one.
    const answers = await Promise.all(Array.from({ length: 10 }, () => decide(loupe, run.id, edited)));
    expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]));
    await inPhase(loupe, run.id, 'ended');
    expect(readFileSync(file, 'utf8')).toBe('from the operator');
    const events = await log(loupe, run.id);
    expect(eventsOf(events, 'approval.decided')).toMatchObject([{ decision: 'edited', by: 'operator' }]);
    expect(JSON.stringify(ollama.chats.at(-1))).toContain('The operator changed the arguments');
    expect(await decide(loupe, run.id, edited)).toEqual([200, undefined]);
    expect(await decide(loupe, run.id, { call_id, decision: 'denied' })).toEqual([409, 'already_decided']);
  });

  it('a denied call has no effect', async () => {
    const { run, config } = await start(loupe, { model: 'writer', approval: { default: 'ask' } });
    const call_id = await waitingCall(loupe, run.id);
    await decide(loupe, run.id, { call_id, decision: 'denied', reason: 'Not today' });
    await inPhase(loupe, run.id, 'ended');
    expect(existsSync(join(config.workspace, 'note.txt'))).toBe(false);
    expect(JSON.stringify(ollama.chats.at(-1))).toContain('Not today');
  });

  it('an approved call runs at once while another run has the slot, which is taken again for the next model call', async () => {
    const waiting = await start(loupe, { model: 'writer', approval: ask('write_file') });
    const call_id = await waitingCall(loupe, waiting.run.id);
    // One run works at a time: this one can only end because the first gave up its slot.
    const other = await start(loupe, { model: 'writer' });
    expect((await inPhase(loupe, other.run.id, 'ended')).termination_reason).toBe('final_answer');
    expect((await inPhase(loupe, waiting.run.id, 'awaiting-approval')).phase).toBe('awaiting-approval');

    const third = await start(loupe, { model: 'hang' });
    await inPhase(loupe, third.run.id, 'calling');
    expect((await decide(loupe, waiting.run.id, { call_id, decision: 'approved' }))[0]).toBe(200);
    await vi.waitFor(async () => {
      const health = (await (await loupe.request('/api/health')).json()) as HealthReply;
      expect(health.runs).toEqual({ active: 1, queued: 1 });
    });
    await vi.waitFor(async () => {
      expect(eventsOf(await log(loupe, waiting.run.id), 'tool-call.ended')).toHaveLength(1);
    });
    expect(readFileSync(join(waiting.config.workspace, 'note.txt'), 'utf8')).toBe('from the model');
    expect((await inPhase(loupe, third.run.id, 'calling')).phase).toBe('calling');
    await loupe.request(`/api/runs/${third.run.id}/stop`, { json: { force: true } });
    await inPhase(loupe, waiting.run.id, 'ended');
    const events = await log(loupe, waiting.run.id);
    expect(eventsOf(events, 'tool-call.ended')).toHaveLength(1);
    // Other runs used the server meanwhile, so the model is reloaded before the next call.
    expect(eventsOf(events, 'model.load-started')).toHaveLength(2);
    expect(eventsOf(events, 'model.load-started')[1]?.waited_ms).toBeGreaterThan(0);
  });

  it('an approval for the tool and folder covers later runs there, until it is revoked', async () => {
    const workspace = realpathSync(mkdtempSync(join(folder, 'project-')));
    const asking = { model: 'writer', approval: ask('write_file'), workspace };
    const first = await start(loupe, asking);
    const call_id = await waitingCall(loupe, first.run.id);
    const always = { call_id, decision: 'approved', scope: 'tool_and_folder' };
    expect(await decide(loupe, first.run.id, { ...always, decision: 'denied' })).toEqual([
      400,
      'invalid_request',
    ]);
    expect(await decide(loupe, first.run.id, always)).toEqual([200, undefined]);
    expect(await decide(loupe, first.run.id, always)).toEqual([200, undefined]);
    await inPhase(loupe, first.run.id, 'ended');
    const { seq } = eventsOf(await log(loupe, first.run.id), 'approval.decided')[0] ?? {};

    const list = async () =>
      ((await (await loupe.request('/api/standing-approvals')).json()) as StandingApprovalListReply)
        .standing_approvals;
    const [kept] = await list();
    expect(kept).toMatchObject({
      tool: 'write_file',
      folder: workspace,
      run_id: first.run.id,
      seq,
      run_title: 'Do it',
    });
    const second = await start(loupe, asking);
    await inPhase(loupe, second.run.id, 'ended');
    expect(eventsOf(await log(loupe, second.run.id), 'approval.decided')).toMatchObject([
      { by: 'standing-approval', standing: { scope: 'tool_and_folder', run_id: first.run.id, seq } },
    ]);
    const refused = await start(loupe, { ...asking, approval: { tools: { write_file: 'deny' } } });
    await inPhase(loupe, refused.run.id, 'ended');
    expect(eventsOf(await log(loupe, refused.run.id), 'tool-call.started')).toEqual([]);

    // In a folder created by Loupe, it would cover no other run.
    const fresh = await start(loupe, { ...asking, workspace: undefined });
    const asked = await waitingCall(loupe, fresh.run.id);
    expect(eventsOf(await log(loupe, fresh.run.id), 'approval.requested')[0]?.scopes).toEqual([
      'once',
      'run',
    ]);
    expect(await decide(loupe, fresh.run.id, { ...always, call_id: asked })).toEqual([
      400,
      'invalid_request',
    ]);
    await decide(loupe, fresh.run.id, { call_id: asked, decision: 'denied' });

    const path = `/api/standing-approvals/${kept?.id}`;
    const revoke = { method: 'DELETE', headers: { 'content-type': 'application/json' } };
    expect((await loupe.request(path, revoke)).status).toBe(200);
    expect((await loupe.request(path, revoke)).status).toBe(404);
    expect(await list()).toEqual([]);
    const third = await start(loupe, asking);
    await waitingCall(loupe, third.run.id);
    await loupe.request(`/api/runs/${third.run.id}/stop`, { json: {} });
    await inPhase(loupe, third.run.id, 'ended');
  });

  it('decides several calls at once, all or none', async () => {
    ollama.add({
      name: 'twice',
      steps: [
        { reply: { tool_calls: [write('first'), { name: 'list_directory', arguments: { path: '.' } }] } },
        done,
      ],
    });
    const { run, config } = await start(loupe, { model: 'twice', approval: { default: 'ask' } });
    await waitingCall(loupe, run.id);
    const [first, second] = eventsOf(await log(loupe, run.id), 'approval.requested').map(
      ({ call_id }) => call_id,
    );
    const approve = { call_id: first, decision: 'approved' };
    const deny = { call_id: second, decision: 'denied', reason: 'No need' };
    expect(await decide(loupe, run.id, { decisions: [] })).toEqual([400, 'invalid_request']);
    expect(await decide(loupe, run.id, { decisions: [approve, approve] })).toEqual([400, 'invalid_request']);
    const unknown = { call_id: 'none', decision: 'denied' };
    expect(await decide(loupe, run.id, { decisions: [approve, unknown] })).toEqual([
      404,
      'approval_not_found',
    ]);
    expect(eventsOf(await log(loupe, run.id), 'approval.decided')).toEqual([]);
    expect(await decide(loupe, run.id, { decisions: [approve, deny] })).toEqual([200, undefined]);
    await inPhase(loupe, run.id, 'ended');
    expect(readFileSync(join(config.workspace, 'note.txt'), 'utf8')).toBe('first');
    expect(JSON.stringify(ollama.chats.at(-1))).toContain('No need');
  });

  it('stopping a run that waits for approval needs no slot', async () => {
    const { run } = await start(loupe, { model: 'writer', approval: ask('write_file') });
    await waitingCall(loupe, run.id);
    const busy = await start(loupe, { model: 'hang' });
    await inPhase(loupe, busy.run.id, 'calling');
    await loupe.request(`/api/runs/${run.id}/stop`, { json: {} });
    expect((await inPhase(loupe, run.id, 'ended')).termination_reason).toBe('stopped');
    await loupe.request(`/api/runs/${busy.run.id}/stop`, { json: { force: true } });
    await inPhase(loupe, busy.run.id, 'ended');
  });

  it('refuses rules for unknown tools, and decisions after the end', async () => {
    const answer = await loupe.request('/api/runs', {
      json: { task: 'x', model: 'writer', approval: { tools: { run_comand: 'ask' } } },
    });
    expect(answer.status).toBe(400);
    const { run } = await start(loupe, { model: 'writer', approval: ask('write_file') });
    const call_id = await waitingCall(loupe, run.id);
    await loupe.request(`/api/runs/${run.id}/stop`, { json: {} });
    expect((await inPhase(loupe, run.id, 'ended')).termination_reason).toBe('stopped');
    expect(await decide(loupe, run.id, { call_id, decision: 'approved' })).toEqual([409, 'run_ended']);
  });
});

it('an approved call runs at once after a restart too, while another run has the slot', async () => {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  const options = { ollamaUrl: ollama.url, dataDir };
  const first = await startLoupe(options);
  const asking = await start(first, { model: 'writer', approval: ask('write_file') });
  const call_id = await waitingCall(first, asking.run.id);
  const busy = await start(first, { model: 'hang' });
  await inPhase(first, busy.run.id, 'calling');
  first.process.kill('SIGKILL');
  await new Promise((resolve) => first.process.once('exit', resolve));

  const second = await startLoupe(options);
  await inPhase(second, busy.run.id, 'calling');
  await inPhase(second, asking.run.id, 'awaiting-approval');
  expect((await decide(second, asking.run.id, { call_id, decision: 'approved' }))[0]).toBe(200);
  const file = join(asking.config.workspace, 'note.txt');
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 5000 });
  await inPhase(second, busy.run.id, 'calling');
  await second.request(`/api/runs/${busy.run.id}/stop`, { json: { force: true } });
  await inPhase(second, asking.run.id, 'ended');
  await second.dispose();
}, 60_000);

describe('kill -9 around an approval', () => {
  it.each([
    ['before:approval.requested', 1],
    ['after:approval.requested', 1],
    ['before:approval.decided', 1],
    ['after:approval.decided', 1],
    ['before:tool-call.started', 1],
    // The intent is in the log. Whether the call ran is unknown, so it is not run again.
    ['after:tool-call.started', 0],
  ])(
    '%s: asked once, decided once, run at most once',
    async (point, effects) => {
      const dataDir = mkdtempSync(join(folder, 'data-'));
      const options = { ollamaUrl: ollama.url, dataDir };
      const first = await startLoupe({ ...options, env: { LOUPE_FAULT: `kill:${point}` } });
      const dead = new Promise((resolve) => first.process.once('exit', resolve));
      const { run, config } = await start(first, { model: 'writer', approval: ask('write_file') });
      if (point !== 'before:approval.requested' && point !== 'after:approval.requested') {
        const call_id = await waitingCall(first, run.id);
        await decide(first, run.id, { call_id, decision: 'approved' }).catch(() => undefined); // the server dies here
      }
      await dead;

      const second = await startLoupe(options);
      const decided = eventsOf(await log(second, run.id), 'approval.decided').length > 0;
      if (!decided) {
        const call_id = await waitingCall(second, run.id);
        expect(existsSync(join(config.workspace, 'note.txt'))).toBe(false);
        expect(await decide(second, run.id, { call_id, decision: 'approved' })).toEqual([200, undefined]);
      }
      await inPhase(second, run.id, 'ended');
      const events = await log(second, run.id);
      expect(eventsOf(events, 'approval.requested')).toHaveLength(1);
      expect(eventsOf(events, 'approval.decided')).toHaveLength(1);
      expect(eventsOf(events, 'tool-call.started')).toHaveLength(1);
      expect(eventsOf(events, 'tool-call.ended')).toHaveLength(effects);
      expect(existsSync(join(config.workspace, 'note.txt'))).toBe(effects === 1);
      await second.dispose();
    },
    60_000,
  );
});

describe('the switch to run unconfined [O8]', () => {
  it('is off', async () => {
    const loupe = await startLoupe({ ollamaUrl: ollama.url });
    const health = (await (await loupe.request('/api/health')).json()) as HealthReply;
    expect(health.sandbox.unconfined).toBe(false);
    expect(await (await loupe.request('/health')).text()).not.toContain('without confinement');
    await loupe.dispose();
  });

  it('asks for approval of each command whatever the run’s setting, and every page has a banner', async () => {
    const loupe = await startLoupe({ ollamaUrl: ollama.url, env: { LOUPE_UNCONFINED: '1' } });
    const health = (await (await loupe.request('/api/health')).json()) as HealthReply;
    expect(health).toMatchObject({
      sandbox: { available: true, kind: 'none', unconfined: true, command_checks: true },
    });
    for (const page of ['/', '/health', '/models', '/runs/new', '/runs/none', '/nowhere']) {
      expect(await (await loupe.request(page)).text(), page).toContain('Commands run without confinement');
    }
    const refused = await loupe.request('/api/runs', {
      json: { task: 'x', model: 'commander', approval: { tools: { run_command: 'auto' } } },
    });
    expect(refused.status).toBe(400);

    const { run, config } = await start(loupe, { model: 'commander' });
    const call_id = await waitingCall(loupe, run.id);
    const file = join(config.workspace, 'effects.txt');
    expect(existsSync(file)).toBe(false);
    await decide(loupe, run.id, { call_id, decision: 'approved' });
    await inPhase(loupe, run.id, 'ended');
    expect(readFileSync(file, 'utf8')).toBe('x\n');
    const [ended] = eventsOf(await log(loupe, run.id), 'tool-call.ended');
    expect(JSON.stringify(ended?.result)).toContain(config.workspace); // not /workspace: it ran outside
    await loupe.dispose();
  }, 60_000);

  it('asks even in a run that was started with confinement', async () => {
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const first = await startLoupe({
      ollamaUrl: ollama.url,
      dataDir,
      env: { LOUPE_FAULT: 'kill:before:tool-call.started' },
    });
    const dead = new Promise((resolve) => first.process.once('exit', resolve));
    const { run, config } = await start(first, { model: 'commander' });
    await dead;
    const second = await startLoupe({ ollamaUrl: ollama.url, dataDir, env: { LOUPE_UNCONFINED: '1' } });
    await waitingCall(second, run.id);
    expect(existsSync(join(config.workspace, 'effects.txt'))).toBe(false);
    await second.dispose();
  }, 60_000);
});
