import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { holdWorkspace } from '../sandbox/held-workspace.ts';
import { temporaryFolder } from '../sandbox/under-test.ts';
import type { JsonObject } from '../util/json.ts';
import { createTaskTools } from './registry.ts';
import type { ToolResult } from './tool.ts';
import { noSandbox } from './under-test.ts';

interface Entry {
  path: string;
  kind: 'file' | 'folder' | 'link' | 'pipe';
  content: string;
}

interface Call {
  name: string;
  arguments: JsonObject;
}

const step = fc.constantFrom('a', 'b', 'c.txt', 'HEAD', 'objects', 'refs', '.git', 'ä');
const path = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => steps.join('/'));
const content = fc.oneof(
  fc
    .array(fc.constantFrom('line', 'é🙂', '"quoted"', '', 'a\0b'), { maxLength: 12 })
    .map((lines) => lines.join('\n')),
  fc.constantFrom('x'.repeat(4096), 'long line '.repeat(9000), 'one of many\n'.repeat(30_000)),
);
const entry: fc.Arbitrary<Entry> = fc.record({
  path,
  kind: fc.constantFrom('file', 'file', 'folder', 'link', 'pipe'),
  content,
});
const line = fc.integer({ min: 1, max: 14 });
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({
    name: fc.constant('read_file'),
    arguments: fc.record({ path, start_line: line, end_line: line }, { requiredKeys: ['path'] }),
  }),
  fc.record({ name: fc.constant('write_file'), arguments: fc.record({ path, content }) }),
  fc.record({
    name: fc.constant('list_directory'),
    arguments: fc.record({ path: fc.oneof(path, fc.constant('.')) }),
  }),
  fc.record({
    name: fc.constant('search_files'),
    arguments: fc.record({
      pattern: fc.constantFrom('line', 'e', 'many'),
      path: fc.oneof(path, fc.constant('.')),
    }),
  }),
);

/** Creates an entry, unless something else is in its place or in the way. */
async function make(workspace: string, { path: name, kind, content: text }: Entry): Promise<void> {
  const place = join(workspace, name);
  try {
    await mkdir(dirname(place), { recursive: true });
    if (kind === 'folder') await mkdir(place);
    else if (kind === 'link') await symlink('a', place);
    else if (kind === 'pipe') execFileSync('mkfifo', [place], { stdio: 'ignore' });
    else await writeFile(place, text, { flag: 'wx' });
  } catch {
    // in both trees alike
  }
}

/** Everything in a folder: types, modes and contents by path. */
async function snapshot(folder: string, below = ''): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const name of (await readdir(join(folder, below))).toSorted()) {
    const inner = join(below, name);
    const stats = await lstat(join(folder, inner));
    found.push([inner, `${stats.mode} ${stats.isFile() ? await readFile(join(folder, inner), 'utf8') : ''}`]);
    if (stats.isDirectory()) found.push(...(await snapshot(folder, inner)));
  }
  return found;
}

async function resultsOf(workspace: string, calls: readonly Call[]): Promise<ToolResult[]> {
  const box = createTaskTools({ workspace, sandbox: noSandbox });
  const { signal } = new AbortController();
  const results: ToolResult[] = [];
  for (const each of calls) results.push(await box.execute(each, { signal }));
  return results;
}

it('tools give the same results and leave the same files whether or not a run holds the workspace [O3, O5]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 12 }),
      fc.array(call, { minLength: 1, maxLength: 8 }),
      async (entries, calls) => {
        await using walked = await temporaryFolder();
        await using opened = await temporaryFolder();
        for (const { path: workspace } of [walked, opened])
          for (const each of entries) await make(workspace, each);
        const held = await holdWorkspace(opened.path, '/data');
        const results = await resultsOf(opened.path, calls).finally(() => held.release());
        expect(results).toEqual(await resultsOf(walked.path, calls));
        expect(await snapshot(opened.path)).toEqual(await snapshot(walked.path));
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);
