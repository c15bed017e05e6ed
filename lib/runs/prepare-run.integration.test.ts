import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../sandbox/under-test.ts';
import { canMountDisks, mountSmallDisk } from '../testing/small-disk.ts';

const MEGABYTE = 1024 * 1024;

/** Creates folders for runs, and prints why each was refused and what is left of them. */
const PROGRAM = `
  const { mkdirSync, readdirSync } = await import('node:fs');
  const { join } = await import('node:path');
  const at = (file) => import(new URL(file, process.env.HERE).href);
  const { createRunRequest } = await at('../api/create-run.ts');
  const { NewFolders } = await at('../sandbox/new-folders.ts');
  const { sampleConfig } = await at('../testing/sample-logs.ts');
  const { prepareForkWorkspace } = await at('./fork-workspace.ts');
  const { prepareRun } = await at('./prepare-run.ts');
  const { DISK, SOURCE } = process.env;
  const dataDir = join(DISK, 'data');
  mkdirSync(dataDir, { recursive: true });
  const place = { dataDir, folders: new NewFolders({ dataDir, alone: true }), runId: 'run', offeredTools: [] };
  const run = (request, files) =>
    prepareRun(createRunRequest.parse({ task: 'Count.', model: 'm', ...request }), { ...place, files });
  const attempts = [
    () => run({ workspace: SOURCE, workspace_copy: true }),
    () => run({}, { 'a.txt': 'x'.repeat(5 * ${MEGABYTE}) }),
    () => prepareForkWorkspace(sampleConfig({ workspace: SOURCE }), { ...place, kind: 'copy' }),
  ];
  const refusals = [];
  for (const attempt of attempts) refusals.push(await attempt().then(() => 'made', ({ code, message }) => ({ code, message })));
  const left = ['workspaces', 'new-workspaces'].map((name) => readdirSync(join(dataDir, name)));
  const { config, discard } = await run({});
  const made = readdirSync(join(dataDir, 'workspaces'));
  await discard();
  console.log(JSON.stringify({ refusals, left, made }));
  process.exit();
`;

it.skipIf(!canMountDisks)(
  'refuses a new folder that the disk has no space for, and leaves nothing behind',
  async () => {
    await using source = await temporaryFolder();
    for (const name of ['a', 'b', 'c']) writeFileSync(join(source.path, name), Buffer.alloc(2 * MEGABYTE));
    const disk = await mountSmallDisk({ megabytes: 4 });
    try {
      const [command = '', ...args] = [
        ...disk.within,
        ...[process.execPath, '--input-type=module', '-e', PROGRAM],
      ];
      const { stdout, stderr } = spawnSync(command, args, {
        env: {
          ...{ NODE_ENV: 'test', PATH: process.env.PATH, HOME: process.env.HOME },
          ...{ HERE: import.meta.url, DISK: disk.path, SOURCE: source.path },
        },
        encoding: 'utf8',
        timeout: 50_000,
      });
      expect(stdout, stderr).not.toBe('');
      const refused = {
        code: 'storage_full',
        message: `The disk has no space left to write ${disk.path}/data/workspaces/run.`,
      };
      expect(JSON.parse(stdout)).toEqual({
        refusals: [refused, refused, refused],
        left: [[], []],
        made: ['run'],
      });
    } finally {
      await disk.dispose();
    }
  },
);
