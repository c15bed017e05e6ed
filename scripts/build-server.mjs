#!/usr/bin/env node
// Bundles the server and the command line: a start loads a few JavaScript files, instead of stripping the types of 400 files
// and reading 400 files of packages, which costs the server a second and 70 MB. Run by `ensure.mjs --build`; manually: node scripts/build-server.mjs
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { serverFolder } from './build-state.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, serverFolder());

/** Packages that are loaded from node_modules: native code, files found at run time, or seldom needed. */
const UNBUNDLED = [
  /^next($|\/)/,
  /^@silvia-odwyer\/photon-node$/,
  /^better-sqlite3$/,
  /^pg$/,
  /^@opentelemetry\//,
];

/** The module of a thread or process, named by `new URL('./x.ts', import.meta.url)`, becomes a separate file. */
const modulesByUrl = {
  name: 'modules-by-url',
  transform(code, id) {
    return code.replaceAll(/new URL\('(\.\/[\w-]+)\.ts', import\.meta\.url\)/g, (_, name) => {
      const reference = this.emitFile({ type: 'chunk', id: join(dirname(id), `${name}.ts`) });
      return `new URL(import.meta.ROLLUP_FILE_URL_${reference})`;
    });
  },
};

/** The route files, which `ApiRoutes` finds by their folders: `app/api/runs/route.ts` becomes `api/runs/route.js`. */
const routes = readdirSync(join(root, 'app', 'api'), { recursive: true })
  .filter((path) => basename(path) === 'route.ts')
  .map((path) => [join('api', dirname(path), 'route'), join(root, 'app', 'api', path)]);

const bundle = await rolldown({
  input: {
    main: join(root, 'lib', 'app', 'main.ts'),
    cli: join(root, 'lib', 'cli', 'main.ts'),
    ...Object.fromEntries(routes),
  },
  cwd: root,
  platform: 'node',
  external: UNBUNDLED,
  plugins: [modulesByUrl],
});
rmSync(folder, { recursive: true, force: true });
// Names and lines stay readable, for the stack traces in a server's log.
await bundle.write({
  dir: folder,
  format: 'esm',
  minify: false,
  chunkFileNames: '[name]-[hash].js',
  sanitizeFileName: false,
});
await bundle.close();
