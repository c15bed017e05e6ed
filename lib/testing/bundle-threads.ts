import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleInto } from './bundle-program.ts';

const lib = resolve(import.meta.dirname, '..');
/** How the program names a module that it starts as a thread or a process. */
const MODULE_BY_URL = /new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g;
const isTest = (path: string) => /\.test\.ts$/.test(path);

/**
 * Bundles the modules of threads and processes before the first test, as `scripts/build-server.mjs` does for the program:
 * tests start hundreds of store threads, and loading the sources takes three times the CPU time. `useBundledThreads`
 * makes the program find the bundles.
 */
export default async function bundleThreads(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'loupe-threads-'));
  await bundleInto(folder, Object.fromEntries(modulesByUrl()));
  process.env.BUNDLED_THREADS = `${pathToFileURL(folder).href}/`;
  return () => rmSync(folder, { recursive: true, force: true });
}

function modulesByUrl(): [name: string, path: string][] {
  const sources = readdirSync(lib, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !isTest(path))
    .map((path) => join(lib, path));
  return sources.flatMap((source) =>
    [...readFileSync(source, 'utf8').matchAll(MODULE_BY_URL)].map(([, name = '']): [string, string] => [
      name,
      join(dirname(source), `${name}.ts`),
    ]),
  );
}

/** A Vite plugin that points the program at the bundles of `bundleThreads`. */
export const useBundledThreads = {
  name: 'use-bundled-threads',
  // Before the types are removed, which changes the quotation marks.
  enforce: 'pre' as const,
  transform: (code: string, id: string) =>
    isTest(id) ? undefined : code.replaceAll(MODULE_BY_URL, "new URL('$1.mjs', process.env.BUNDLED_THREADS)"),
};
