import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findPostgres } from '../testing/postgres-server.ts';

/** Runs against a model that writes files, until the disk of its store is full. */
const PROGRAM = `
  const { randomBytes } = await import('node:crypto');
  const { rmSync, statfsSync, writeFileSync } = await import('node:fs');
  const { join } = await import('node:path');
  const at = (file) => import(new URL(file, process.env.HERE).href);
  const { readEnvironment } = await at('../config/environment.ts');
  const { openRunService } = await at('../app/open-run-service.ts');
  const { createRunRequest } = await at('../api/create-run.ts');
  const { startFakeOllama } = await at('../demo/fake-ollama.ts');
  const ollama = await startFakeOllama({ record: false });
  const write = { name: 'write_file', arguments: { path: 'file-{{n}}.txt', content: randomBytes(4_500).toString('base64') } };
  ollama.add({ name: 'flood', steps: [{ repeat: 40, steps: [{ reply: { content: randomBytes(15_000).toString('base64'), tool_calls: [write] } }] }] });
  const { startPostgres } = await at('../testing/postgres-server.ts');
  const { DATABASES_IN: databasesIn } = process.env;
  const postgres = databasesIn && (await startPostgres({ databasesIn }));
  const LOUPE_DATABASE_URL = postgres && postgres.newDatabase();
  const { service } = await openRunService(
    readEnvironment({ ...process.env, OLLAMA_HOST: ollama.url, LOUPE_DATABASE_URL }),
  );
  await service.resumeUnfinished();
  const disk = databasesIn ?? process.env.LOUPE_DATA_DIR;
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, 'others'), Buffer.alloc(bavail * bsize - 256 * 1024));
  const request = { task: 'Fill the disk', model: 'flood', workspace: process.env.FLOOD_WORKSPACE, max_iterations: 50, window_tokens: 200_000, num_predict: [30_000, 30_000] };
  const { run } = await service.start(createRunRequest.parse(request));
  const feed = await service.follow({ topics: new Map([[run.id, 0]]), signal: new AbortController().signal });
  let events = 0;
  let end;
  while (!feed.done) for (const item of await feed.next(1000)) {
    if (item.kind !== 'event') continue;
    events += 1;
    end = item.event;
  }
  const listed = await service.stored.list({ limit: 10 });
  let read = 0;
  for await (const page of service.stored.log(run.id)) read += page.length;
  const readOnly = async () => (await service.health(undefined, new AbortController().signal)).store.read_only ?? null;
  const whileFull = await readOnly();
  await service.delete(run.id);
  rmSync(join(disk, 'others'));
  let afterwards;
  do afterwards = await readOnly(); while (afterwards !== null);
  const { length: left } = await service.stored.list({ limit: 10 });
  if (postgres) await postgres[Symbol.asyncDispose]();
  console.log(JSON.stringify({ end, events, read, listed: listed[0], whileFull, left }));
  process.exit();
`;

const isRoot = process.getuid?.() === 0;
/** PostgreSQL refuses to run as root, even as root of a namespace, so other users keep their identity. */
const asSomebody = isRoot ? ['-m'] : ['--user', '--map-current-user', '--keep-caps', '--mount'];
const canMount = (options: readonly string[]) =>
  process.platform === 'linux' &&
  spawnSync('unshare', [...options, 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0;

it.skipIf(!canMount(['-Urm']))(
  'fault matrix: ends a run on a full disk with its reason written down, and goes on answering',
  () => expectEnded(fill('LOUPE_DATA_DIR', ['-Urm'])),
);

const postgresHere = findPostgres() !== undefined && canMount(asSomebody);
if (!postgresHere)
  console.warn(
    'PostgreSQL on a full disk is NOT tested: it takes PostgreSQL, and mount in a separate namespace.',
  );

it.skipIf(!postgresHere)('fault matrix: the same where PostgreSQL has no room any more', () =>
  expectEnded(fill('DATABASES_IN', asSomebody)),
);

interface Outcome {
  end: { type: string; seq: number };
  events: number;
  read: number;
  listed: unknown;
  whileFull: unknown;
  left: number;
}

/** The program's output, with a small disk mounted on a folder. */
function fill(folder: 'LOUPE_DATA_DIR' | 'DATABASES_IN', unshare: readonly string[]): Outcome {
  const root = mkdtempSync(join(tmpdir(), 'loupe-full-'));
  // The database server runs as another user.
  chmodSync(root, 0o755);
  const places = { LOUPE_DATA_DIR: join(root, 'data'), DATABASES_IN: join(root, 'databases') };
  const workspace = join(root, 'workspace');
  for (const place of [...Object.values(places), workspace]) mkdirSync(place);
  const mount = `mount -t tmpfs -o size=64m none "$${folder}" && exec "$0" --input-type=module -e "$1"`;
  const { stdout, stderr } = spawnSync(
    'unshare',
    [...unshare, 'sh', '-c', mount, process.execPath, PROGRAM],
    {
      env: {
        NODE_ENV: 'test',
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        HERE: import.meta.url,
        LOUPE_DATA_DIR: places.LOUPE_DATA_DIR,
        [folder]: places[folder],
        LOUPE_MIN_FREE_MB: '0',
        FLOOD_WORKSPACE: workspace,
      },
      encoding: 'utf8',
      timeout: 50_000,
    },
  );
  rmSync(root, { recursive: true, force: true });
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout);
}

function expectEnded({ end, events, read, listed, whileFull, left }: Outcome): void {
  expect(end).toMatchObject({
    type: 'run.ended',
    message: expect.stringContaining('full'),
    result: { termination_reason: 'error', error: { code: 'storage_full' } },
  });
  expect([end.seq, read]).toEqual([events, events]);
  expect(listed).toMatchObject({ phase: 'ended', last_seq: events });
  expect(whileFull).toMatchObject({ message: expect.stringContaining('is full'), disk_full: true });
  expect(left).toBe(0);
}
