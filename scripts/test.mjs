#!/usr/bin/env node
// `npm test`: every stage in order, each to its end, then one line of counts. `npm test unit e2e` runs the named
// stages only. The stage against a real Ollama runs when CI is set, or by name.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure, readPlaywrightReport, readVitestReport, troubleText } from './test-report.mjs';

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
function verdict(tool, args) {
  return run(args) === 0 ? { passed: 1, failed: 0, skipped: 0, troubles: [] } : failure(tool);
}

function vitest(project, ...options) {
  const report = join(scratch, `${project}.json`);
  const status = run([
    bin('vitest', 'vitest.mjs'),
    'run',
    `--project=${project}`,
    ...options,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]);
  return existsSync(report) ? readVitestReport(report, status) : failure('vitest wrote no report');
}

function playwright(project) {
  const report = join(scratch, `e2e-${project}.json`);
  const status = run(
    // A folder each: what a failed story leaves is still there when the next project has run.
    [
      ...[bin('@playwright', 'test', 'cli.js'), 'test', `--project=${project}`],
      ...['--reporter=list,json', `--output=test-results/${project}`],
    ],
    { PLAYWRIGHT_JSON_OUTPUT_NAME: report },
  );
  return existsSync(report) ? readPlaywrightReport(report, status) : failure('playwright wrote no report');
}

const stages = [
  { name: 'format', run: () => verdict('biome', [bin('@biomejs', 'biome', 'bin', 'biome'), 'ci', '.']) },
  { name: 'types', run: () => verdict('tsc', [bin('typescript', 'bin', 'tsc'), '--noEmit']) },
  { name: 'unit', run: () => vitest('unit', '--coverage') },
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
const troubles = [];
for (const stage of chosen) {
  console.info(`\n=== ${stage.name} ===`);
  const started = Date.now();
  const counts = stage.run();
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
if (total.skipped > 0) console.info(`${total.skipped} skipped, since this machine lacks what they need`);
console.info(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
