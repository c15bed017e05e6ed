#!/usr/bin/env node
// Prepares a fresh clone: packages, a suitable Node, an up-to-date build and, for tests, a browser and the sandbox tools.
// Plain JavaScript with built-in modules, because it runs before anything is installed and on any Node from 18.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  dashboardFolder,
  isBuilt,
  markBuilt,
  playerFolder,
  refreshMark,
  serverFolder,
  sourceHash,
} from './build-state.mjs';
import { packagesToInstall } from './installed-packages.mjs';
import { serversRunningFrom } from './running-servers.mjs';
import { missingSystemTools } from './system-tools.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const MINIMUM_NODE = [22, 19];
const wants = new Set(process.argv.slice(2));

function say(text) {
  console.info(`loupe: ${text}`);
}

/** A problem that the user has to solve. Any other error is a bug. */
class SetUpError extends Error {}

function fail(text) {
  throw new SetUpError(text);
}

/** The commands that are running. */
const running = new Set();

/**
 * Runs a command that ends with this process.
 *
 * @returns its exit code, 1 after a signal
 */
function run(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
  running.add(child);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      running.delete(child);
      reject(new SetUpError(`${command} could not be started: ${error.message}`));
    });
    child.once('exit', (code) => {
      running.delete(child);
      if (!stoppedBy) resolve(code ?? 1);
      else if (running.size === 0) process.kill(process.pid, stoppedBy);
    });
  });
}

/** The signal that ends this process once its commands have ended. */
let stoppedBy;
// A signal to this process alone does not reach its commands.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    stoppedBy = signal;
    for (const child of running) child.kill(signal);
    if (running.size === 0) process.kill(process.pid, signal);
  });
}
// npm passes a signal only to the shell that runs this script.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent && !stoppedBy) process.kill(process.pid, 'SIGTERM');
}, 500).unref();

/** A running server and its open pages still load files, which an update would break. */
function refuseWhileRunning() {
  const [pid] = wants.has('--omit-dev') ? serversRunningFrom(root) : [];
  if (pid === undefined) return;
  fail(
    `there are changes to install or build, but Loupe is running from this folder (process ${pid}). Stop it with Ctrl-C, ` +
      'then run npm start again. Unfinished runs resume.',
  );
}

/** Installs packages if the lock file changed: a marker in node_modules contains the hash of the installed one. */
async function ensurePackages() {
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const markerFile = join(root, 'node_modules', '.loupe-lock');
  const marker = existsSync(markerFile) ? readFileSync(markerFile, 'utf8') : undefined;
  const due = packagesToInstall({ marker, hash, omitDev: wants.has('--omit-dev') });
  if (!due) return;
  refuseWhileRunning();
  const npm = process.env.npm_execpath;
  if (!npm) fail('Run this through npm: npm start, or npm test.');
  say('installing packages (once, about half a minute)');
  // Node 20 may install: packages that need a newer Node run with the one that is installed as a package. No package
  // needs an install script, so none may run one.
  const options = ['--ignore-scripts', due.omitDev ? '--omit=dev' : '--include=dev'];
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund', '--no-update-notifier'];
  // npm writes 25,000 files, and on few processors Node's four threads for that mostly wait for each other: with two,
  // it takes a quarter less CPU time.
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(Math.min(4, availableParallelism())) };
  const status = await run(process.execPath, [npm, 'ci', ...options, ...quiet], { env });
  if (status !== 0)
    fail('npm ci failed; its message is above. Check the network or the registry, then try again.');
  writeFileSync(markerFile, due.marker);
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
      'Loupe brings its own on Linux, macOS and Windows (x64), as an optional package: delete node_modules and try again ' +
      'without "omit=optional", or install Node 26.',
  );
}

const buildOptions = {
  env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
  stdio: ['ignore', 'inherit', 'inherit'],
  shell: process.platform === 'win32',
};

/** Builds what is missing or outdated, in parallel, because each build leaves a processor idle at times. */
async function ensureBuild() {
  const hash = sourceHash();
  const builds = [
    {
      what: 'the dashboard',
      folder: dashboardFolder(),
      product: 'BUILD_ID',
      command: [join('node_modules', 'next', 'dist', 'bin', 'next'), 'build'],
    },
    {
      what: 'the player',
      folder: playerFolder(),
      product: 'player.js',
      command: [join('scripts', 'build-player.mjs')],
    },
    {
      what: 'the server',
      folder: serverFolder(),
      product: 'main.js',
      command: [join('scripts', 'build-server.mjs')],
    },
  ];
  const due = builds.filter(({ folder, product }) => !isBuilt({ folder, product, hash }));
  const failed = [];
  if (due.length > 0) refuseWhileRunning();
  if (due.length > 0) say(`building ${due.map(({ what }) => what).join(', ')}`);
  await Promise.all(
    due.map(async ({ what, command }) => {
      if ((await run(nodeCommand(), command, buildOptions)) !== 0) failed.push(what);
    }),
  );
  if (failed.length > 0) fail(`the build of ${failed.join(' and ')} failed; its message is above.`);
  for (const build of builds) {
    if (due.includes(build)) markBuilt({ folder: build.folder, hash });
    else refreshMark({ folder: build.folder, hash });
  }
}

/**
 * Tests need a browser, bubblewrap and ripgrep. They are installed as root on Debian; otherwise the command is printed.
 */
async function ensureTestTools() {
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
  await run('apt-get', ['update', '-qq'], { env: aptEnvironment });
  if (!(await aptInstall(missing)))
    fail(`apt-get could not install ${packagesOf(missing).join(' ')}; its message is above.`);
  if (!(await aptInstall(optional))) say(`the tests run without ${namesOf(optional)}, more slowly`);
}

const aptEnvironment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
const namesOf = (tools) => tools.map((tool) => tool.name).join(', ');
const packagesOf = (tools) => tools.map((tool) => tool.debianPackage);

/** Whether apt-get has installed the tools. */
async function aptInstall(tools) {
  if (tools.length === 0) return true;
  const args = ['install', '-y', '-qq', '--no-install-recommends', ...packagesOf(tools)];
  return (await run('apt-get', args, { env: aptEnvironment })) === 0;
}

async function ensurePackagesAndBuild() {
  await ensurePackages();
  ensureNode();
  if (wants.has('--build')) await ensureBuild();
}

// apt-get mostly waits for the network and the disk. What failed is said once both have ended: an interrupted apt-get
// leaves packages half installed.
const outcomes = await Promise.allSettled([
  ensurePackagesAndBuild(),
  wants.has('--test') ? ensureTestTools() : undefined,
]);
for (const { reason } of outcomes.filter(({ status }) => status === 'rejected')) {
  console.error(reason instanceof SetUpError ? `loupe: ${reason.message}` : reason);
  process.exitCode = 1;
}
