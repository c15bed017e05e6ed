import { readdirSync, readlinkSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { isOptionalTool } from '../events/added-tools.ts';
import type { Check } from '../events/check.ts';
import { modeFacts, modeNames, type RunMode } from '../events/modes.ts';
import { resolveConfig } from '../modes/resolve-config.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import { temporaryFolder } from '../sandbox/under-test.ts';
import { noSandbox } from '../tools/under-test.ts';
import { builtInTools, toolsReply } from './built-in-tools.ts';
import { openToolsOf } from './open-tools.ts';

/** How many descriptors of this process point to a folder. */
function descriptorsOf(path: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false; // the descriptor used for listing is already closed
    }
  }).length;
}

async function opening(mode: RunMode, tools?: string[], checks?: readonly Check[]) {
  const folder = await temporaryFolder();
  const workspace = join(folder.path, 'ws');
  await mkdir(workspace);
  const request = createRunRequest.parse({
    model: 'm',
    mode,
    tools,
    checks,
    ...(mode === 'task' && { task: 'Read' }),
  });
  const config = resolveConfig(request, { workspace, offeredTools: modeFacts(mode).tools });
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
      output: { error: expect.stringContaining('no longer exists') },
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

it('a task with a check that is a command ends where commands cannot be confined', async () => {
  const command = { type: 'command', command: 'npm test' } as const;
  const file = { type: 'file_exists', path: 'a.txt' } as const;
  const { folder, open } = await opening('task', undefined, [file, command]);
  await using _ = folder;
  await expect(open()).rejects.toMatchObject({
    code: 'commands_unavailable',
    message: expect.stringContaining('cannot be confined here. Not needed in this test.'),
    hint: expect.stringContaining('without this check'),
  });
  const other = await opening('task', undefined, [file]);
  await using __ = other.folder;
  const tools = await other.open();
  const { signal } = new AbortController();
  expect(await tools.runChecks([file], { signal })).toMatchObject([{ passed: false }]);
  await tools.close();
});

describe('the tools that a run chose', () => {
  it.each(modeNames)(
    'without a choice, a run in the mode %s offers all that are not optional',
    async (mode) => {
      const { folder, open } = await opening(mode);
      await using _ = folder;
      const { toolbox, close } = await open();
      const usual = (tools: readonly ToolDefinition[]) =>
        tools.filter((tool) => !isOptionalTool(tool.function.name));
      expect(toolbox.definitions).toEqual(
        usual(builtInTools({ sandbox: noSandbox, unconfined: undefined })[mode]),
      );
      await close();
      const all = builtInTools({ sandbox: noSandbox, unconfined: openUnconfined() })[mode];
      expect(usual(all).map((tool) => tool.function.name)).toEqual(modeFacts(mode).tools);
    },
  );

  it.each([
    ['task', ['search_files', 'read_file'], 'write_file'],
    ['session', ['write_file'], 'read_file'],
    ['explore', ['read', 'list'], 'write'],
  ] as const)(
    'a run in the mode %s offers only %j, and refuses others like unknown ones [O18]',
    async (mode, chosen, other) => {
      const { folder, open } = await opening(mode, [...chosen]);
      await using _ = folder;
      const { toolbox, close } = await open();
      expect(toolbox.definitions.map((tool) => tool.function.name)).toEqual(
        modeFacts(mode).tools.filter((name) => chosen.some((each) => each === name)),
      );
      const { signal } = new AbortController();
      const call = { name: other, arguments: { path: 'a', content: 'x', key: 'a', value: 'x' } };
      expect(await toolbox.fileBefore?.(call)).toBeUndefined();
      expect(await toolbox.execute(call, { signal })).toMatchObject({
        success: false,
        output: { error: expect.stringContaining(`There is no tool "${other}".`) },
      });
      await close();
    },
  );

  it('lists the tools with what they add to a request', () => {
    const { tools } = toolsReply(builtInTools({ sandbox: noSandbox, unconfined: undefined }), {
      servers: [],
      problems: [],
    });
    expect(tools.explore).toHaveLength(6);
    const [first] = builtInTools({ sandbox: noSandbox, unconfined: undefined }).task;
    expect(tools.task[0]).toEqual({
      name: 'read_file',
      description: first?.function.description,
      estimated_tokens: Math.ceil(JSON.stringify(first).length / 4),
    });
  });
});
