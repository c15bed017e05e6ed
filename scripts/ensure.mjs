#!/usr/bin/env node
// Prepares a fresh clone: packages, a suitable Node, an up-to-date build and, for tests, a browser and the sandbox tools.
// Plain JavaScript with built-in modules, because it runs before anything is installed and on any Node from 18.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { playerFolder } from './player-folder.mjs';
import { missingSystemTools } from './system-tools.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const MINIMUM_NODE = [22, 19];
const wants = new Set(process.argv.slice(2));

function say(text) {
  console.info(`loupe: ${text}`);
}

function fail(text) {
  console.error(`loupe: ${text}`);
  process.exit(1);
}

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (done.error) fail(`${command} could not be started: ${done.error.message}`);
  return done.status ?? 1;
}

/** Installs packages if the lock file changed: a marker in node_modules contains the hash of the installed one. */
function ensurePackages() {
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const marker = join(root, 'node_modules', '.loupe-lock');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === hash) return;
  const npm = process.env.npm_execpath;
  if (!npm) fail('Run this through npm: npm start, or npm test.');
  say('installing packages (once, about a minute)');
  // Node 20 may install: packages that need a newer Node run with the one that is installed as a package. No package
  // needs an install script, so none may run one.
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund'];
  const status = run(process.execPath, [npm, 'ci', '--ignore-scripts', ...quiet]);
  if (status !== 0)
    fail('npm ci failed; its message is above. Check the network or the registry, then try again.');
  writeFileSync(marker, hash);
}

/** The Node for package scripts: the one installed as a package if there is one, else the system's. */
function nodeCommand() {
  const shipped = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
  return existsSync(shipped) ? shipped : 'node';
}

function ensureNode() {
  const asked = spawnSync(nodeCommand(), ['-p', 'process.versions.node'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const version = asked.stdout?.trim() ?? '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [needMajor, needMinor] = MINIMUM_NODE;
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return;
  fail(
    `Node ${needMajor}.${needMinor} or newer is needed, found ${version || 'none'}. ` +
      'Loupe brings its own on Linux, Windows (x64) and Intel Macs, as an optional package: delete node_modules and try ' +
      'again without "omit=optional", or install Node 24.',
  );
}

const BUILD_SOURCES = ['app', 'components', 'lib', 'public'];
const BUILD_FILES = [
  'package-lock.json',
  'next.config.ts',
  'postcss.config.mjs',
  'tsconfig.json',
  'instrumentation.ts',
  'instrumentation-client.ts',
  'instrumentation-node.ts',
  join('scripts', 'build-player.mjs'),
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

/** By content, because modification times are meaningless after a checkout or in an unpacked archive. */
function sourceHash() {
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

function ensureBuild() {
  const hash = sourceHash();
  const dist = join(root, process.env.LOUPE_DIST_DIR ?? '.next');
  ensureBuilt({
    what: 'the dashboard',
    folder: dist,
    hash,
    product: 'BUILD_ID',
    command: [join('node_modules', 'next', 'dist', 'bin', 'next'), 'build'],
  });
  ensureBuilt({
    what: 'the player',
    folder: join(root, playerFolder()),
    hash,
    product: 'player.js',
    command: [join('scripts', 'build-player.mjs')],
  });
}

/** Builds if the output is missing or was built from different sources; a marker next to it contains their hash. */
function ensureBuilt({ what, folder, hash, product, command }) {
  const marker = join(folder, 'loupe-sources');
  if (existsSync(join(folder, product)) && existsSync(marker) && readFileSync(marker, 'utf8') === hash)
    return;
  say(`building ${what}`);
  const status = run(nodeCommand(), command, {
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) fail(`the build of ${what} failed; its message is above.`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(marker, hash);
}

/**
 * Tests need a browser, bubblewrap and ripgrep. They are installed as root on Debian; otherwise the command is printed.
 */
function ensureTestTools() {
  const tools = missingSystemTools();
  const missing = tools.filter((tool) => !tool.optional);
  const optional = tools.filter((tool) => tool.optional);
  if (tools.length === 0) return;
  const canInstall = process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
  if (!canInstall) {
    if (missing.length === 0) return;
    const text = `missing for the tests: ${namesOf(missing)}. On Debian or Ubuntu: sudo apt-get install ${packagesOf(missing).join(' ')}`;
    if (missing.some((tool) => tool.required)) fail(text);
    say(text);
    return;
  }
  say(`installing ${namesOf(tools)} for the tests`);
  run('apt-get', ['update', '-qq'], { env: aptEnvironment });
  if (!aptInstall(missing))
    fail(`apt-get could not install ${packagesOf(missing).join(' ')}; its message is above.`);
  if (!aptInstall(optional)) say(`the tests run without ${namesOf(optional)}, more slowly`);
}

const aptEnvironment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
const namesOf = (tools) => tools.map((tool) => tool.name).join(', ');
const packagesOf = (tools) => tools.map((tool) => tool.debianPackage);

/** Whether apt-get has installed the tools. */
function aptInstall(tools) {
  if (tools.length === 0) return true;
  const args = ['install', '-y', '-qq', '--no-install-recommends', ...packagesOf(tools)];
  return run('apt-get', args, { env: aptEnvironment }) === 0;
}

ensurePackages();
ensureNode();
if (wants.has('--test')) ensureTestTools();
if (wants.has('--build')) ensureBuild();
