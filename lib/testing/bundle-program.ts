import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const lib = resolve(import.meta.dirname, '..');

/**
 * Bundles a script that imports the program, so that a test can start it a hundred times: loading the bundle takes a
 * quarter of the CPU time of loading some 300 sources, and the store's thread loads them too.
 *
 * @param folder where the bundle goes; created by this call
 * @param script a module that imports the program's files as `#lib/…`
 * @returns the path of the script to start
 */
export async function bundleProgram(folder: string, script: string): Promise<string> {
  mkdirSync(folder);
  const source = join(folder, 'source.ts');
  writeFileSync(source, script.replaceAll('#lib/', `${lib}/`));
  await bundleInto(
    folder,
    { script: source, 'store-thread': join(lib, 'store', 'sqlite', 'store-thread.ts') },
    // The store starts its thread from a file of this name beside its own.
    (name) => (name === 'store-thread' ? 'ts' : 'mjs'),
  );
  return join(folder, 'script.mjs');
}

/**
 * Bundles modules of the program, each into a file of its name in the folder.
 *
 * @param modules their paths by name
 * @param extensionOf the extension of a bundle's file
 */
export async function bundleInto(
  folder: string,
  modules: Readonly<Record<string, string>>,
  extensionOf: (name: string) => string = () => 'mjs',
): Promise<void> {
  // Packages with native parts stay outside the bundles and are found here.
  symlinkSync(resolve(lib, '..', 'node_modules'), join(folder, 'node_modules'));
  const bundle = await rolldown({
    input: modules,
    external: ['better-sqlite3', 'pg', '@silvia-odwyer/photon-node'],
    platform: 'node',
    cwd: folder,
    logLevel: 'warn',
  });
  await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: ({ name }) => `[name].${extensionOf(name)}`,
    chunkFileNames: 'shared-[name].mjs',
  });
  await bundle.close();
}
