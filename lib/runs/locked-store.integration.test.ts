import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { openRunService } from '../app/open-run-service.ts';
import { readEnvironment } from '../config/environment.ts';
import { startFakeOllama } from '../demo/fake-ollama.ts';
import type { RunEvent } from '../events/registry.ts';

/** Locks the database until its input ends, as a backup or a person with a shell would. */
const LOCKER = `
  const { default: Database } = await import('better-sqlite3');
  const database = new Database(process.env.LOCKED_DATABASE);
  database.exec('BEGIN IMMEDIATE');
  console.log('locked');
  process.stdin.on('end', () => database.exec('ROLLBACK')).resume();
`;

async function lock(path: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', LOCKER], {
    env: { NODE_ENV: 'test', PATH: process.env.PATH, LOCKED_DATABASE: path },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return async () => {
    const ended = once(child, 'exit');
    child.stdin.end();
    await ended;
  };
}

it('fault matrix: while another program has the database locked, runs wait, reads continue, and no event is lost', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-locked-'));
  const workspace = join(dataDir, 'workspaces', 'work');
  mkdirSync(workspace, { recursive: true });
  const ollama = await startFakeOllama({ record: false });
  const write = { name: 'write_file', arguments: { path: 'file-{{n}}.txt', content: 'x' } };
  ollama.add({
    name: 'writer',
    pace: { prompt_ms: 100 },
    steps: [
      { repeat: 8, steps: [{ reply: { tool_calls: [write] } }] },
      { reply: { content: 'All is completed.' } },
    ],
  });
  const { service, close } = await openRunService(
    readEnvironment({ LOUPE_DATA_DIR: dataDir, OLLAMA_HOST: ollama.url }),
  );
  try {
    const request = createRunRequest.parse({ task: 'Write', model: 'writer', workspace });
    const { run } = await service.start(request);
    const get = async () => (await service.stored.get(run.id)).run;
    await vi.waitFor(async () => expect((await get()).tool_calls).toBeGreaterThan(0), { timeout: 20_000 });

    const unlock = await lock(join(dataDir, 'loupe.db'));
    const { last_seq: before } = await get();
    const refused = service.start(request);
    refused.catch(() => undefined); // checked below
    await expect(service.stored.list({ limit: 10 })).resolves.toHaveLength(1);
    // The store's own timeout has passed, the run's has not.
    await expect(refused).rejects.toMatchObject({ code: 'store_busy' });
    await vi.waitFor(() => expect(warn).toHaveBeenCalledWith(expect.stringContaining(run.id)), {
      timeout: 20_000,
    });
    expect((await get()).last_seq - before).toBeLessThanOrEqual(1);
    await unlock();

    await vi.waitFor(async () => expect((await get()).phase).toBe('ended'), { timeout: 30_000 });
    expect(await get()).toMatchObject({ termination_reason: 'final_answer', tool_calls: 8 });
    const log: RunEvent[] = [];
    for await (const page of service.stored.log(run.id)) log.push(...page);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    const started = log.flatMap((event) => (event.type === 'tool-call.started' ? [event.call_id] : []));
    const ended = log.flatMap((event) => (event.type === 'tool-call.ended' ? [event.call_id] : []));
    expect(ended).toEqual(started);
    expect(readFileSync(join(workspace, 'file-8.txt'), 'utf8')).toBe('x');
  } finally {
    await close();
    await ollama.close();
    rmSync(dataDir, { recursive: true, force: true });
    warn.mockRestore();
  }
});
