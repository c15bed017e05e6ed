import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { holdWorkspace } from './held-workspace.ts';
import { temporaryFolder } from './under-test.ts';
import { listFolder, readWhole, replaceFile } from './workspace-files.ts';

// Both outcomes of the race must occur this often, or the test proves nothing. A busy machine needs longer for that.
const OCCURRENCES = 50;
const SHORTEST_MS = 4000;
const LONGEST_MS = 40_000;

// Replaces the folder by a link to the outside and back, as fast as it can. If a write created a folder in between, it is
// moved aside.
const SWAPPER = `
const fs = require('node:fs');
const [ws, outside] = process.argv.slice(1);
process.chdir(ws);
fs.symlinkSync(outside, 'link');
let made = 0;
const move = (from, to) => {
  try { fs.renameSync(from, to); } catch {
    try { fs.renameSync(to, 'made-' + made++); fs.renameSync(from, to); } catch {}
  }
};
for (;;) { move('folder', 'aside'); move('link', 'folder'); move('folder', 'link'); move('aside', 'folder'); }`;

it.each([true, false])(
  'nothing is read, listed or written outside while folders are swapped for links (held open: %s) [O5]',
  {
    timeout: LONGEST_MS + 20_000,
  },
  async (isHeld) => {
    await using outside = await temporaryFolder();
    await writeFile(join(outside.path, 'file'), 'outside');
    await using ws = await temporaryFolder();
    await mkdir(join(ws.path, 'folder'));
    await writeFile(join(ws.path, 'folder/file'), 'inside');

    const held = isHeld ? await holdWorkspace(ws.path, '/data') : undefined;
    const swapper = spawn(process.execPath, ['-e', SWAPPER, ws.path, outside.path], { stdio: 'ignore' });
    const seen = { inside: 0, refused: 0, outside: 0 };
    try {
      const read = async () => {
        const { data } = await readWhole(ws.path, ['folder', 'file'], 100);
        seen[data?.toString() === 'inside' ? 'inside' : 'outside']++;
      };
      const write = () => replaceFile(ws.path, ['folder', 'written'], Buffer.from('x'));
      const list = () => listFolder(ws.path, ['folder'], 10);
      const refused = () => {
        seen.refused++;
      };
      const start = performance.now();
      const isEnough = () => seen.inside > OCCURRENCES && seen.refused > OCCURRENCES;
      for (let ms = 0; ms < SHORTEST_MS || (!isEnough() && ms < LONGEST_MS); ms = performance.now() - start) {
        await Promise.all([
          read().catch(refused),
          read().catch(refused),
          write().catch(refused),
          list().catch(refused),
        ]);
      }
    } finally {
      swapper.kill('SIGKILL');
      await held?.release();
    }
    console.info(`Swap race: ${JSON.stringify(seen)}`);
    expect(seen.outside).toBe(0);
    expect(await readdir(outside.path)).toEqual(['file']);
    expect(await readFile(join(outside.path, 'file'), 'utf8')).toBe('outside');
    expect(seen.inside).toBeGreaterThan(OCCURRENCES);
    expect(seen.refused).toBeGreaterThan(OCCURRENCES);
  },
);
