import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, vi } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { openRunService } from '../app/open-run-service.ts';
import { readEnvironment } from '../config/environment.ts';
import { startFakeOllama } from '../demo/fake-ollama.ts';

it('a worker whose run was claimed by another writes nothing more and stops by itself [threat 16]', async () => {
  const said = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-zombie-'));
  const ollama = await startFakeOllama({ record: false });
  const look = { name: 'list_directory', arguments: { path: '.' } };
  ollama.add({
    name: 'looker',
    pace: { prompt_ms: 100 },
    steps: [{ repeat: 40, steps: [{ reply: { content: 'Round {{n}}.', tool_calls: [look] } }] }],
  });
  const { service, close } = await openRunService(
    readEnvironment({ LOUPE_DATA_DIR: dataDir, OLLAMA_HOST: ollama.url }),
  );
  try {
    const { run } = await service.start(
      createRunRequest.parse({ task: 'Look', model: 'looker', stall_guard: false, max_iterations: 50 }),
    );
    const get = async () => (await service.stored.get(run.id)).run;
    await vi.waitFor(async () => expect((await get()).last_seq).toBeGreaterThan(8), { timeout: 20_000 });
    // As another process would after a lease expired: the epoch increases, and the older one may no longer
    // append.
    const other = new Database(join(dataDir, 'loupe.db'), { timeout: 5000 });
    other.prepare(`update runs set epoch = epoch + 1, worker = 'another' where id = ?`).run(run.id);
    const { last_seq: atTakeover } = await get();
    await vi.waitFor(() => expect(said).toHaveBeenCalledWith(expect.stringContaining('taken over')), {
      timeout: 20_000,
    });
    expect(await get()).toMatchObject({ last_seq: atTakeover });
    expect((await get()).phase).not.toBe('ended');
    const later: unknown = other.prepare('select epoch, worker from runs where id = ?').get(run.id);
    expect(later).toMatchObject({ epoch: 2, worker: 'another' });
    other.close();
  } finally {
    await close();
    await ollama.close();
    rmSync(dataDir, { recursive: true, force: true });
    said.mockRestore();
  }
});
