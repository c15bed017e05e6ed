import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenedRunService, openRunService } from '../app/open-run-service.ts';
import { readEnvironment } from '../config/environment.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';

let folder: string;
let fake: FakeOllama;
let opened: OpenedRunService;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-silent-'));
  fake = await startFakeOllama({ models: [{ name: 'alpha' }], version: '0.17.4' });
  opened = await openRunService(readEnvironment({ LOUPE_DATA_DIR: folder, OLLAMA_HOST: fake.url }));
});
afterAll(async () => {
  await opened.close();
  await fake.close();
  rmSync(folder, { recursive: true, force: true });
});

const never = new AbortController().signal;
const names = ({ models }: { models: { name: string; demo: boolean }[] }) =>
  models.flatMap((model) => (model.demo ? [] : [model.name]));

it('answers health and models immediately while Ollama is silent, with the state unknown', async () => {
  const { service } = opened;
  expect(await service.health('alpha', never)).toMatchObject({ ollama: { ok: true }, model: { ok: true } });
  const before = await service.models(never);
  expect([before.ollama, names(before)]).toEqual(['ok', ['alpha:latest']]);

  const thaw = fake.freeze();
  const [health, models] = await Promise.all([service.health('alpha', never), service.models(never)]);
  expect(health).toMatchObject({
    status: 'unknown',
    ollama: { ok: false, unknown: true, error: { code: 'ollama_not_responding' } },
    model: { ok: false, unknown: true, name: 'alpha' },
    store: { ok: true },
  });
  expect([models.ollama, names(models)]).toEqual(['unknown', ['alpha:latest']]);
  await Promise.all([service.health('alpha', never), service.models(never)]);

  thaw();
  await expect.poll(async () => (await service.models(never)).ollama).toBe('ok');
  expect(await service.health('alpha', never)).toMatchObject({ ollama: { ok: true }, model: { ok: true } });
});
