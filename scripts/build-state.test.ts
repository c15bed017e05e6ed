import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { commandLineFile, isBuilt, markBuilt, serverFiles, sourceHash } from './build-state.mjs';

const folder = 'dist-server';
let root: string;

/** Writes a file below the program's folder, modified at the given second. */
function write(path: string, text: string, second: number): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, second, second);
}

function build(second: number): void {
  write('dist-server/main.js', 'bundle', second);
  write('dist-server/cli.js', 'bundle', second);
  markBuilt({ folder, hash: sourceHash(root), root });
  utimesSync(join(root, 'dist-server', 'loupe-sources'), second, second);
}

const isUpToDate = () => isBuilt({ folder, product: 'main.js', hash: sourceHash(root), root });

beforeEach(() => {
  vi.stubEnv('LOUPE_DIST_DIR', '');
  root = mkdtempSync(join(tmpdir(), 'loupe-build-'));
  write('lib/app/main.ts', 'main', 100);
  write('lib/app/main.test.ts', 'test', 100);
  write('app/api/health/route.ts', 'route', 100);
  write('package-lock.json', '{}', 100);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

it('a build is up to date until a source or the lock file changes', () => {
  expect(isUpToDate()).toBe(false);
  build(200);
  expect(isUpToDate()).toBe(true);
  write('lib/app/main.test.ts', 'another test', 300);
  expect(isUpToDate()).toBe(true);
  write('package-lock.json', '{"packages":{}}', 100);
  expect(isUpToDate()).toBe(false);
});

it('a build whose product is missing is not up to date', () => {
  build(200);
  rmSync(join(root, 'dist-server', 'main.js'));
  expect(isUpToDate()).toBe(false);
});

it('a user who cannot write to a build that is up to date can run it', () => {
  build(200);
  chmodSync(join(root, 'dist-server', 'loupe-sources'), 0o444);
  const program = `
    const { refreshMark } = await import(process.env.STATE);
    if (process.getuid() === 0) process.seteuid(65534);
    refreshMark(JSON.parse(process.env.BUILD));
    console.log('ready');
  `;
  const ended = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env: {
      NODE_ENV: 'test',
      STATE: new URL('./build-state.mjs', import.meta.url).href,
      BUILD: JSON.stringify({ folder, hash: sourceHash(root), root }),
    },
    encoding: 'utf8',
  });
  expect(ended).toMatchObject({ stdout: 'ready\n', stderr: '' });
});

it('the server runs from its bundle', () => {
  build(200);
  expect(serverFiles(root)).toEqual({
    entry: join(root, 'dist-server', 'main.js'),
    routes: join(root, 'dist-server', 'api'),
  });
});

it.each(['lib/app/main.ts', 'app/api/health/route.ts', 'lib/app/added.ts'])(
  'the server runs from its sources after an edit of %s',
  (path) => {
    build(200);
    write(path, 'edited', 300);
    expect(serverFiles(root)).toEqual({
      entry: join(root, 'lib', 'app', 'main.ts'),
      routes: join(root, 'app', 'api'),
    });
  },
);

it('the server runs from its sources if it has no bundle', () => {
  expect(serverFiles(root).entry).toBe(join(root, 'lib', 'app', 'main.ts'));
  build(200);
  rmSync(join(root, 'dist-server', 'main.js'));
  expect(serverFiles(root).entry).toBe(join(root, 'lib', 'app', 'main.ts'));
});

it('the command line runs from its bundle, or from its sources before the first build and after an edit', () => {
  const source = join(root, 'lib', 'cli', 'main.ts');
  expect(commandLineFile(root)).toBe(source);
  build(200);
  expect(commandLineFile(root)).toBe(join(root, 'dist-server', 'cli.js'));
  write('app/api/health/route.ts', 'edited', 300);
  expect(commandLineFile(root)).toBe(join(root, 'dist-server', 'cli.js'));
  write('lib/cli/arguments.ts', 'edited', 300);
  expect(commandLineFile(root)).toBe(source);
});
