import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { markBuilt, serverFolder, sourceHash } from './build-state.mjs';

const root = join(import.meta.dirname, '..');
const distDir = `.next-bundle-test-${process.pid}`;
const folder = join(root, serverFolder(distDir));

/** The folders below `path` that have the file. */
function foldersWith(path: string, file: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => basename(name) === file)
    .map(dirname)
    .sort();
}

const env = { ...process.env, LOUPE_DIST_DIR: distDir };

beforeAll(() => {
  execFileSync(process.execPath, [join('scripts', 'build-server.mjs')], {
    cwd: root,
    env,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('every route file is in the bundle, with the same methods', async () => {
  const sources = join(root, 'app', 'api');
  const routes = foldersWith(sources, 'route.ts');
  expect(routes).toContain(join('runs', '[runId]', 'events'));
  expect(foldersWith(join(folder, 'api'), 'route.js')).toEqual(routes);
  for (const route of routes) {
    const [source, bundled] = await Promise.all(
      [join(sources, route, 'route.ts'), join(folder, 'api', route, 'route.js')].map(
        (file) => import(pathToFileURL(file).href),
      ),
    );
    expect(Object.keys(bundled).sort()).toEqual(Object.keys(source).sort());
  }
});

it('nothing in the bundle refers to a source by its URL', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  const referring = files.filter((name) =>
    /\.ts['"],\s*import\.meta/.test(readFileSync(join(folder, name), 'utf8')),
  );
  expect(files.length).toBeGreaterThan(10);
  expect(referring).toEqual([]);
});

it('the command line runs from the bundle, wherever it is called', () => {
  const called = (...args: string[]) => {
    const command = [join(root, 'bin', 'loupe.mjs'), ...args];
    return execFileSync(process.execPath, command, { cwd: tmpdir(), env, encoding: 'utf8' });
  };
  const fromSources = [called('help'), called('version')];
  markBuilt({ folder: serverFolder(distDir), hash: sourceHash() });
  // Only the bundle prints this.
  appendFileSync(join(folder, 'cli.js'), '\nconsole.log("bundle");\n');
  expect([called('help'), called('version')]).toEqual(fromSources.map((text) => `bundle\n${text}`));
});
