import { readdirSync, readlinkSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { resolveConfig } from '../modes/resolve-config.ts';
import { temporaryFolder } from '../sandbox/under-test.ts';
import { noSandbox } from '../tools/under-test.ts';
import { openToolsOf } from './open-tools.ts';

/** How many descriptors of this process lead to a folder. */
function descriptorsOf(path: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false; // the descriptor used for listing is closed by now
    }
  }).length;
}

async function opening(mode: 'task' | 'session') {
  const folder = await temporaryFolder();
  const workspace = join(folder.path, 'ws');
  await mkdir(workspace);
  const request = createRunRequest.parse({ model: 'm', mode, ...(mode === 'task' && { task: 'Read' }) });
  const config = resolveConfig(request, { workspace, offeredTools: [] });
  const parts = { sandbox: noSandbox, dataDir: join(folder.path, 'data'), logPathOf: () => '' };
  return { folder, workspace, open: () => openToolsOf('r', parts)(config) };
}

it.runIf(process.platform === 'linux').each(['task', 'session'] as const)(
  'a %s holds its workspace open until it closes its tools',
  async (mode) => {
    const { folder, workspace, open } = await opening(mode);
    await using _ = folder;
    await writeFile(join(workspace, 'file'), 'text');
    const tools = await open();
    expect(descriptorsOf(workspace)).toBe(1);
    const read = { name: 'read_file', arguments: { path: 'file' } };
    const { signal } = new AbortController();
    expect(await tools.toolbox.execute(read, { signal })).toMatchObject({ success: true });
    await rename(workspace, `${workspace}-aside`);
    expect(await tools.toolbox.execute(read, { signal })).toMatchObject({
      success: false,
      output: { error: expect.stringContaining('is not there any more') },
    });
    await tools.close();
    expect(descriptorsOf(`${workspace}-aside`)).toBe(0);
  },
);

it.runIf(process.platform === 'linux')('a session that cannot open its tools holds nothing', async () => {
  const { folder, workspace, open } = await opening('session');
  await using _ = folder;
  await writeFile(join(workspace, 'SYSTEM_PROMPT.md'), 'a\0b');
  await expect(open()).rejects.toMatchObject({ code: 'system_prompt_unusable' });
  expect(descriptorsOf(workspace)).toBe(0);
});
