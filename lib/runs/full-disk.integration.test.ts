import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Runs against a model that writes files, in a data directory that holds 18 MB and 16 of them as reserve. */
const PROGRAM = `
  const at = (file) => import(new URL(file, process.env.HERE).href);
  const { readEnvironment } = await at('../config/environment.ts');
  const { openRunService } = await at('./open-run-service.ts');
  const { createRunRequest } = await at('../api/create-run.ts');
  const { startFakeOllama } = await at('../testing/fake-ollama.ts');
  const ollama = await startFakeOllama({ record: false });
  const write = { name: 'write_file', arguments: { path: 'file-{{n}}.txt', content: 'x'.repeat(6_000) } };
  ollama.add({ name: 'flood', steps: [{ repeat: 40, steps: [{ reply: { tool_calls: [write] } }] }] });
  const { service } = await openRunService(readEnvironment({ ...process.env, OLLAMA_HOST: ollama.url }));
  const request = { task: 'Fill the disk', model: 'flood', workspace: process.env.FLOOD_WORKSPACE, max_iterations: 50, window_tokens: 200_000 };
  const start = () => service.start(createRunRequest.parse(request));
  const { run } = await start();
  const feed = await service.follow({ topics: new Map([[run.id, 0]]), signal: new AbortController().signal });
  let events = 0;
  let end;
  while (!feed.done) for (const item of await feed.next(1000)) {
    if (item.kind !== 'event') continue;
    events += 1;
    end = item.event;
  }
  const listed = await service.list({ limit: 10 });
  let refusals = [];
  for (let n = 0; n < 200 && refusals.length === 0; n++) await start().catch((error) => refusals.push(error.code));
  console.log(JSON.stringify({ end, events, listed: listed[0], refusals }));
  process.exit();
`;

const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0;

it.skipIf(!canMount)('ends a run on a full disk with its reason written down, and goes on answering', () => {
  const root = mkdtempSync(join(tmpdir(), 'loupe-full-'));
  const data = join(root, 'data');
  const workspace = join(root, 'workspace');
  mkdirSync(data);
  mkdirSync(workspace);
  const { stdout, stderr } = spawnSync(
    'unshare',
    [
      '-Urm',
      'sh',
      '-c',
      'mount -t tmpfs -o size=18m none "$LOUPE_DATA_DIR" && exec "$0" --input-type=module -e "$1"',
      process.execPath,
      PROGRAM,
    ],
    {
      env: {
        NODE_ENV: 'test',
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        HERE: import.meta.url,
        LOUPE_DATA_DIR: data,
        LOUPE_MIN_FREE_MB: '0',
        FLOOD_WORKSPACE: workspace,
      },
      encoding: 'utf8',
      timeout: 50_000,
    },
  );
  rmSync(root, { recursive: true, force: true });
  expect(stdout, stderr).not.toBe('');
  const told = JSON.parse(stdout);
  expect(told.end).toMatchObject({
    type: 'run.ended',
    result: { termination_reason: 'error', error: { code: 'storage_full' } },
  });
  expect(told.end.seq).toBe(told.events);
  expect(told.listed).toMatchObject({ phase: 'ended', last_seq: told.events });
});
