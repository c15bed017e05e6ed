// Tracks what was built from which sources. Built-in modules only: this runs before anything is installed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The folder of the dashboard, relative to the program. */
export function dashboardFolder(distDir = process.env.LOUPE_DIST_DIR) {
  return distDir || '.next';
}

/**
 * The folder of the built player, relative to the program: next to the matching dashboard build, so that a test build has
 * its own. Must match `lib/sharing/player/assets.ts`.
 */
export function playerFolder(distDir = process.env.LOUPE_DIST_DIR) {
  return distDir ? `${distDir}-player` : 'dist-player';
}

/** The folder of the bundled server and command line, relative to the program: next to the matching dashboard build. */
export function serverFolder(distDir = process.env.LOUPE_DIST_DIR) {
  return distDir ? `${distDir}-server` : 'dist-server';
}

const BUILD_SOURCES = ['app', 'components', 'lib', 'public'];
const BUILD_FILES = [
  'package-lock.json',
  'next.config.mjs',
  'postcss.config.mjs',
  'tsconfig.json',
  'instrumentation.ts',
  'instrumentation-client.ts',
  'instrumentation-node.ts',
  join('scripts', 'build-player.mjs'),
  join('scripts', 'build-server.mjs'),
];

function sourceFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return sourceFiles(path);
      return /\.test\.tsx?$/.test(entry.name) ? [] : [path];
    })
    .sort();
}

/** The hash of everything that is built, by content: modification times are meaningless after a checkout. */
export function sourceHash(root = program) {
  const hash = createHash('sha256');
  const files = [
    ...BUILD_SOURCES.flatMap((folder) => sourceFiles(join(root, folder))),
    ...BUILD_FILES.map((file) => join(root, file)),
  ];
  for (const file of files) {
    if (!existsSync(file) || !statSync(file).isFile()) continue;
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** Whether the folder has the product, built from the sources with this hash. */
export function isBuilt({ folder, product, hash, root = program }) {
  const marker = join(root, folder, 'loupe-sources');
  return (
    existsSync(join(root, folder, product)) && existsSync(marker) && readFileSync(marker, 'utf8') === hash
  );
}

/** Remembers from which sources the folder was built. */
export function markBuilt({ folder, hash, root = program }) {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, 'loupe-sources'), hash);
}

/**
 * Renews the marker of an up-to-date build, so that it is newer than files that were touched. A user who cannot write
 * to the folder may still run what is in it.
 */
export function refreshMark(build) {
  try {
    markBuilt(build);
  } catch (error) {
    if (error.code !== 'EACCES' && error.code !== 'EROFS') throw error;
  }
}

/**
 * The files to run as the server: its bundle, or the sources after an edit, so that nobody must remember to build it.
 * `npm start` compares contents before; this compares times only, which is fast.
 *
 * @returns {{ entry: string, routes: string }} the file with `main`, and the folder of the API's route files
 */
export function serverFiles(root = program) {
  const folder = join(root, serverFolder());
  const bundle = { entry: join(folder, 'main.js'), routes: join(folder, 'api') };
  const sources = { entry: join(root, 'lib', 'app', 'main.ts'), routes: join(root, 'app', 'api') };
  return isNewest(bundle.entry, [join(root, 'lib'), sources.routes]) ? bundle : sources;
}

/** The file with the `main` of `loupe …`: its bundle, or the source after an edit or before the first build. */
export function commandLineFile(root = program) {
  const bundle = join(root, serverFolder(), 'cli.js');
  return isNewest(bundle, [join(root, 'lib')]) ? bundle : join(root, 'lib', 'cli', 'main.ts');
}

/** Whether the bundled file is there and was built after the last change to its sources. */
function isNewest(bundled, sources) {
  const builtAt = statSync(join(dirname(bundled), 'loupe-sources'), { throwIfNoEntry: false })?.mtimeMs;
  return (
    builtAt !== undefined &&
    existsSync(bundled) &&
    sources.every((path) => sourceFiles(path).every((file) => statSync(file).mtimeMs <= builtAt))
  );
}
