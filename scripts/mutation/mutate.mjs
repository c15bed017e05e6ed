#!/usr/bin/env node
// `npm run mutate -- ROOM [FILE[:LINES]…]`: changes the code of a room of lib in hundreds of small ways with StrykerJS,
// and lists the changes that no test of the room noticed.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const root = join(here, '..', '..');

/** Rooms whose code is also tested by the tests of other rooms. */
const ALSO_TESTED_IN = { sandbox: ['tools'], 'sign-ins': ['http'] };
/** Tests, and what only tests use. */
const NOT_MUTATED = ['*.test.ts', 'test-*.ts', 'under-test.ts'];

function fail(text) {
  console.error(text);
  process.exit(2);
}

function run(command, args, options) {
  const { error, status } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (error) fail(`${command} could not be started: ${error.message}`);
  return status ?? 1;
}

/**
 * StrykerJS has 177 packages that nothing else needs, so it is installed on first use, from a separate lock file.
 */
function ensureStryker() {
  const lock = readFileSync(join(here, 'package-lock.json'), 'utf8');
  const installed = join(here, 'node_modules', '.loupe-lock');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  const npm = process.env.npm_execpath ?? fail('Run this through npm: npm run mutate -- ROOM');
  console.info('loupe: installing StrykerJS (once, about 63 MB)');
  const status = run(process.execPath, [npm, 'ci', '--ignore-scripts', '--loglevel=error'], { cwd: here });
  if (status !== 0) fail('npm ci failed; its message is above.');
  writeFileSync(installed, lock);
}

const rooms = readdirSync(join(root, 'lib'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
const [room, ...files] = process.argv.slice(2);
if (!rooms.includes(room)) fail(`Usage: npm run mutate -- ROOM [FILE[:LINES]…]\nRooms: ${rooms.join(', ')}`);
for (const file of files) {
  if (!existsSync(join(root, 'lib', room, file.replace(/:.*/, '')))) fail(`lib/${room} has no file ${file}.`);
}

ensureStryker();
const mutated =
  files.length > 0
    ? files.map((file) => `lib/${room}/${file}`)
    : [`lib/${room}/**/*.ts`, ...NOT_MUTATED.map((name) => `!lib/${room}/**/${name}`)];
const status = run(
  process.execPath,
  [
    join(here, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js'),
    ...['run', join('scripts', 'mutation', 'stryker.config.json'), '--mutate', mutated.join(',')],
  ],
  {
    cwd: root,
    env: { ...process.env, LOUPE_MUTATION_TESTS: [room, ...(ALSO_TESTED_IN[room] ?? [])].join(',') },
  },
);
process.exit(status);
