import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type CreateRunRequest, createRunRequest } from '../api/create-run.ts';
import { forkRequest } from '../api/fork-run.ts';
import { type OpenedRunService, openRunService } from '../app/open-run-service.ts';
import { readEnvironment } from '../config/environment.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { foldAll } from '../events/fold-run.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { SessionLogProjection } from '../sharing/exports/session-log.ts';
import { calls, says } from '../testing/loop-harness.ts';

let folder: string;
let fake: FakeOllama;
let opened: OpenedRunService;
const never = new AbortController().signal;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-sessions-'));
  fake = await startFakeOllama();
  const environment = { LOUPE_DATA_DIR: folder, OLLAMA_HOST: fake.url, LOUPE_MIN_FREE_MB: '0' };
  opened = await openRunService(readEnvironment(environment));
});
afterEach(async () => {
  await opened.close();
  await fake.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(request: CreateRunRequest): Promise<string> {
  return (await opened.service.start(createRunRequest.parse(request))).run.id;
}

async function eventsOf(runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const page of opened.service.stored.log(runId)) events.push(...page);
  return events;
}

const eventually = <T>(look: () => Promise<T>) => vi.waitFor(look, { timeout: 20_000, interval: 10 });

it('the model cannot modify the log of its session [S22]', async () => {
  fake.add({
    name: 'vandal',
    steps: [
      calls(
        { name: 'write_file', arguments: { path: '../../sessions/log.jsonl', content: 'broken' } },
        { name: 'read_file', arguments: { path: join(folder, 'sessions') } },
        {
          name: 'run_command',
          arguments: { command: 'for f in ../../sessions/*; do echo broken > $f; done' },
        },
        { name: 'run_command', arguments: { command: `echo broken >> ${folder}/sessions/x.jsonl` } },
      ),
      { fault: { kind: 'hang' } },
    ],
  });
  const id = await start({ mode: 'session', autopilot: true, model: 'vandal' });
  await eventually(async () => expect((await opened.service.stored.get(id)).run.iterations_used).toBe(2));
  await opened.service.stop(id, { force: true });
  await opened.service.ended(id, never);
  const events = await eventsOf(id);
  const projection = new SessionLogProjection();
  const lines = events.flatMap((event) => projection.take(event));
  const written = readFileSync(join(folder, 'sessions', `${id}.jsonl`), 'utf8');
  expect(written).toBe(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(JSON.parse(written.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    event: 'session_end',
    reason: 'user_shutdown',
    forced: true,
  });
  expect(lines[0]).toMatchObject({ log_path: join(folder, 'sessions', `${id}.jsonl`) });
});

it('the log of a forked session names its own file [S4, S19]', async () => {
  fake.add({ name: 'gardener', steps: [says('I look at the beds.'), says('They are dry.')] });
  const waits = (id: string) =>
    eventually(async () => expect((await opened.service.stored.get(id)).run.phase).toBe('awaiting-message'));
  const first = await start({ mode: 'session', model: 'gardener', task: 'Look.' });
  await waits(first);
  const request = forkRequest.parse({ at: { end: true }, message: 'And?' });
  const { id: fork } = (await opened.service.fork(first, request)).run;
  await waits(fork);
  for (const id of [first, fork]) {
    const path = join(folder, 'sessions', `${id}.jsonl`);
    const [line = ''] = readFileSync(path, 'utf8').split('\n');
    expect(JSON.parse(line)).toMatchObject({ event: 'session_start', log_path: path });
    await opened.service.stop(id, { force: true });
    await opened.service.ended(id, never);
  }
});

it('the server and other runs continue; an endless session yields to them between turns [S14]', async () => {
  fake.add({
    name: 'endless',
    pace: { prompt_ms: 20 },
    steps: [{ repeat: 10_000, steps: [says('Turn {{n}}.')] }],
  });
  fake.add({ name: 'other', steps: [calls({ name: 'list_directory' }), says('The task is completed.')] });
  const session = await start({
    mode: 'session',
    autopilot: true,
    autopilot_turns: 1_000_000,
    model: 'endless',
    window_tokens: 1_000_000,
  });
  await eventually(async () =>
    expect((await opened.service.stored.get(session)).run.iterations_used).toBeGreaterThan(2),
  );
  const task = await start({ task: 'Look.', model: 'other' });
  await opened.service.ended(task, never);
  expect((await opened.service.stored.get(task)).run.termination_reason).toBe('final_answer');

  const { iterations_used: before } = (await opened.service.stored.get(session)).run;
  await eventually(async () =>
    expect((await opened.service.stored.get(session)).run.iterations_used).toBeGreaterThan(before + 2),
  );
  const events = await eventsOf(session);
  expect(events.filter(({ type }) => type === 'model.loaded')).toHaveLength(2);
  // Waiting does not count as the session's time.
  const again = events.filter((event) => event.type === 'model.load-started').at(-1);
  expect(again?.waited_ms).toBeGreaterThan(0);
  expect(foldAll(emptyRunState(session), events).lostMs).toBe(again?.waited_ms);
  // Another run waits, so the session is stopped while it waits for a slot again.
  const next = await start({ mode: 'session', autopilot: true, model: 'other' });
  await opened.service.stop(session, { force: true });
  await opened.service.ended(session, never);
  await opened.service.stop(next, { force: true });
  await opened.service.ended(next, never);
});

it('an agent’s message to its operator is printed safely on the console [O14, N12]', async () => {
  const console_ = vi.spyOn(console, 'info').mockImplementation(() => undefined);
  fake.add({
    name: 'talker',
    steps: [
      calls({ name: 'send_message_to_operator', arguments: { message: 'Hello \u001b[31mthere.' } }),
      says('Done.'),
    ],
  });
  const id = await start({ mode: 'explore', model: 'talker', max_cycles: 1 });
  await opened.service.ended(id, never);
  expect(console_.mock.calls).toEqual([['[AGENT]: Hello there.']]);
  console_.mockRestore();
});
