#!/usr/bin/env node
// `npm test`: every stage in order, each to its end, then one line of counts. `npm test unit e2e` runs the named
// stages only. The stage against a real Ollama runs when CI is set, or by name.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scratch = mkdtempSync(join(tmpdir(), 'loupe-test-'));
const node = process.execPath;
const bin = (name, ...path) => join('node_modules', name, ...path);

function run(args, env = {}) {
  const done = spawnSync(node, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
  });
  return done.status ?? 1;
}

/** A tool that only says yes or no counts as one test. */
function verdict(args) {
  const ok = run(args) === 0;
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
}

function vitest(project) {
  const report = join(scratch, `${project}.json`);
  const status = run([
    bin('vitest', 'vitest.mjs'),
    'run',
    `--project=${project}`,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]);
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  // A file that cannot be loaded fails the run without a failed test: it must not look green.
  const failed = numFailedTests === 0 && status !== 0 ? 1 : numFailedTests;
  return { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests };
}

function playwright(project) {
  const report = join(scratch, `e2e-${project}.json`);
  const status = run(
    [bin('@playwright', 'test', 'cli.js'), 'test', `--project=${project}`, '--reporter=list,json'],
    {
      PLAYWRIGHT_JSON_OUTPUT_NAME: report,
    },
  );
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const { stats } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = stats.unexpected === 0 && status !== 0 ? 1 : stats.unexpected;
  return { passed: stats.expected + stats.flaky, failed, skipped: stats.skipped };
}

const stages = [
  { name: 'format', run: () => verdict([bin('@biomejs', 'biome', 'bin', 'biome'), 'ci', '.']) },
  { name: 'types', run: () => verdict([bin('typescript', 'bin', 'tsc'), '--noEmit']) },
  { name: 'unit', run: () => vitest('unit') },
  { name: 'integration', run: () => vitest('integration') },
  { name: 'e2e', run: () => playwright('stories') },
  { name: 'ollama', run: () => vitest('ollama'), onlyInCi: true },
  { name: 'e2e-ollama', run: () => playwright('ollama'), onlyInCi: true },
];

const named = process.argv.slice(2);
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

const total = { passed: 0, failed: 0, skipped: 0 };
const lines = [];
for (const stage of chosen) {
  console.info(`\n=== ${stage.name} ===`);
  const started = Date.now();
  const counts = stage.run();
  for (const key of Object.keys(total)) total[key] += counts[key];
  const seconds = Math.round((Date.now() - started) / 1000);
  lines.push(
    `${stage.name.padEnd(12)} ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped  (${seconds} s)`,
  );
}
rmSync(scratch, { recursive: true, force: true });

console.info(`\n${lines.join('\n')}\n`);
if (!process.env.CI && named.length === 0) {
  console.info('Not run: the tests against a real Ollama. Run them with: npm test ollama e2e-ollama\n');
}
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.info(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
