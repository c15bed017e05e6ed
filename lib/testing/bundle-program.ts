import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const lib = resolve(import.meta.dirname, '..');

/**
 * Bundles a script that imports the program, so that a test can start it a hundred times: loading the bundle takes a
 * quarter of the processor time of loading some 300 sources, and the store's thread loads them too.
 *
 * @param folder where the bundle goes; made by this call
 * @param script a module that imports the program's files as `#lib/…`
 * @returns the path of the script to start
 */
export async function bundleProgram(folder: string, script: string): Promise<string> {
  mkdirSync(folder);
  const source = join(folder, 'source.ts');
  writeFileSync(source, script.replaceAll('#lib/', `${lib}/`));
  // Packages with native parts stay outside the bundle and are found here.
  symlinkSync(resolve(lib, '..', 'node_modules'), join(folder, 'node_modules'));
  const bundle = await rolldown({
    input: { script: source, 'store-thread': join(lib, 'store', 'sqlite', 'store-thread.ts') },
    external: ['better-sqlite3', 'pg'],
    platform: 'node',
    cwd: folder,
    logLevel: 'warn',
  });
  await bundle.write({
    dir: folder,
    format: 'esm',
    // The store starts its thread from a file of this name beside its own.
    entryFileNames: ({ name }) => (name === 'store-thread' ? '[name].ts' : '[name].mjs'),
    chunkFileNames: '[name].mjs',
  });
  await bundle.close();
  return join(folder, 'script.mjs');
}
