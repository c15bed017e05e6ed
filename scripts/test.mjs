#!/usr/bin/env node
// `npm test`: runs all stages to their end, then prints a summary. `npm test unit e2e` runs only the named stages. The
// stages with a real Ollama run if CI is set, or by name.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longestChain, MAX_CHAIN } from './import-chain.mjs';
import { failure, readPlaywrightReport, readVitestReport, troubleText } from './test-report.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'loupe-test-'));
const node = process.execPath;
/** The compile cache of programs that tests start: with it, a server takes half the CPU time to start. */
const compiled = { NODE_COMPILE_CACHE: join(scratch, 'compiled') };
let isCacheFilled = false;
const bin = (name, ...path) => join('node_modules', name, ...path);

/** How much is kept of what a program writes to stderr, in UTF-16 units. */
const STDERR_CHARS = 8_000;

/**
 * Runs a program and passes on its output.
 *
 * @returns {Promise<{ status: number, stderr: string }>} the exit code, 1 after a signal, and the end of its stderr
 */
async function run(args, env = {}) {
  let stderr = '';
  const child = spawn(node, args, {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: {
      ...process.env,
      NEXT_TELEMETRY_DISABLED: '1',
      ...(process.stderr.isTTY && !process.env.NO_COLOR ? { FORCE_COLOR: '1' } : {}),
      ...env,
    },
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    process.stderr.write(text);
    stderr = (stderr + text).slice(-STDERR_CHARS);
  });
  const [code] = await once(child, 'close');
  return { status: code ?? 1, stderr };
}

/** The environment of stages that start servers. Without the filled cache they are only slower, so a failure does not end the tests. */
async function withCompiled() {
  if (!isCacheFilled)
    await run(['--disable-warning=ExperimentalWarning', 'scripts/fill-compile-cache.ts'], compiled);
  isCacheFilled = true;
  return compiled;
}

/**
 * Builds Ollama, if the machine has none, in CPU time that the earlier stages leave idle. The script has a lock, so the
 * stage that needs the binary waits for this build, or builds it and says why it cannot.
 */
function buildOllamaMeanwhile() {
  const script = join('e2e', 'ollama', 'install-ollama.sh');
  const build = spawn('nice', ['-n', '19', 'bash', script], { stdio: 'ignore' });
  build.on('error', () => {}); // no `nice`: the stage builds it
  build.unref();
}

/** Counts a tool with only an exit code as one test. */
async function verdict(tool, args) {
  const { status, stderr } = await run(args);
  return status === 0 ? passed() : failure(tool, stderr);
}

function passed() {
  return { passed: 1, failed: 0, skipped: 0, troubles: [] };
}

/** Checks import rules, including what may reach the browser, and the length of import chains. */
async function rooms() {
  const statusOf = async (script, ...args) =>
    (await run([bin('dependency-cruiser', 'bin', script), ...args])).status;
  const cruise = (...args) => statusOf('dependency-cruiser.mjs', ...args);
  const graph = join(scratch, 'imports.json');
  const config = ['--config', '.dependency-cruiser.mjs'];
  const output = ['--output-type=json', `--output-to=${graph}`];
  const read = await cruise(...config, ...output, 'lib', 'components', 'app');
  const inside =
    read || (await statusOf('depcruise-fmt.mjs', '--output-type=err-long', '--exit-code', graph));
  const browser = await cruise(
    ...['--config', '.dependency-cruiser.browser.mjs', '--output-type=err-long'],
    ...['components', 'lib/browser'],
  );
  if (inside + browser > 0) return failure('dependency-cruiser');
  const chain = longestChain(JSON.parse(readFileSync(graph, 'utf8')).modules);
  console.info(`Longest import chain: ${chain.length} files, at most ${MAX_CHAIN} are allowed`);
  if (chain.length <= MAX_CHAIN) return passed();
  console.error(chain.map((file) => `  ${file}`).join('\n'));
  return failure('longest import chain');
}

async function vitest(project, ...options) {
  const report = join(scratch, `${project}.json`);
  const { status, stderr } = await run(
    [
      ...[bin('vitest', 'vitest.mjs'), 'run', `--project=${project}`, ...options],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    ],
    // V8 counts coverage less precisely in code from the compile cache, and unit tests start no server.
    project === 'unit' ? {} : await withCompiled(),
  );
  return existsSync(report)
    ? readVitestReport(report, status, stderr)
    : failure('vitest wrote no report', stderr);
}

async function playwright(project) {
  const report = join(scratch, `e2e-${project}.json`);
  const { status, stderr } = await run(
    // Separate folders, so that one project does not delete the results of another.
    [
      ...[bin('@playwright', 'test', 'cli.js'), 'test', `--project=${project}`],
      ...['--reporter=list,json', `--output=test-results/${project}`],
    ],
    { ...(await withCompiled()), PLAYWRIGHT_JSON_OUTPUT_NAME: report },
  );
  return existsSync(report)
    ? readPlaywrightReport(report, status, stderr)
    : failure('playwright wrote no report', stderr);
}

const named = process.argv.slice(2);

const stages = [
  { name: 'format', run: () => verdict('biome', [bin('@biomejs', 'biome', 'bin', 'biome'), 'ci', '.']) },
  { name: 'types', run: () => verdict('tsc', [bin('typescript-native', 'bin', 'tsc'), '--noEmit']) },
  { name: 'rooms', run: rooms },
  { name: 'unused', run: () => verdict('knip', [bin('knip', 'bin', 'knip.js'), '--no-config-hints']) },
  // Coverage is a requirement on the whole suite, not on `npm run check`: measuring it doubles the time of the stage.
  { name: 'unit', run: () => (named.length === 0 ? vitest('unit', '--coverage') : vitest('unit')) },
  { name: 'integration', run: () => vitest('integration') },
  { name: 'e2e', run: () => playwright('stories') },
  { name: 'ollama', run: () => vitest('ollama'), onlyInCi: true, needsOllama: true },
  { name: 'e2e-ollama', run: () => playwright('ollama'), onlyInCi: true, needsOllama: true },
];

const unknown = named.filter((name) => !stages.some((stage) => stage.name === name));
if (unknown.length > 0) {
  console.error(
    `Unknown stage: ${unknown.join(', ')}. Stages: ${stages.map((stage) => stage.name).join(', ')}`,
  );
  process.exit(2);
}
const chosen = stages.filter((stage) =>
  named.length > 0 ? named.includes(stage.name) : !stage.onlyInCi || process.env.CI,
);

const [firstStage] = chosen;
if (!firstStage?.needsOllama && chosen.some((stage) => stage.needsOllama)) buildOllamaMeanwhile();

const total = { passed: 0, failed: 0, skipped: 0 };
const lines = [];
const troubles = [];
for (const stage of chosen) {
  console.info(`\n=== ${stage.name} ===`);
  const started = Date.now();
  const counts = await stage.run();
  for (const key of Object.keys(total)) total[key] += counts[key];
  troubles.push(...counts.troubles.map((trouble) => ({ ...trouble, stage: stage.name })));
  const seconds = Math.round((Date.now() - started) / 1000);
  lines.push(
    `${stage.name.padEnd(12)} ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped  (${seconds} s)`,
  );
}
rmSync(scratch, { recursive: true, force: true });

if (troubles.length > 0)
  console.info(`\n=== what failed, or passed on a retry ===\n\n${troubleText(troubles)}`);
console.info(`\n${lines.join('\n')}\n`);
if (!process.env.CI && named.length === 0) {
  console.info('Not run: the tests against a real Ollama. Run them with: npm test ollama e2e-ollama\n');
}
if (total.skipped > 0)
  console.info(`${total.skipped} skipped, because this machine lacks the required tools`);
console.info(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
