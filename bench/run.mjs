#!/usr/bin/env node
// `npm run bench`: every measurement, one after the other. `npm run bench engine` runs one, and
// `npm run bench harness -- --rounds 1` passes its options on. Each prints ratios taken in one run, since machines differ
// and are noisy.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const benches = {
  calls: 'calls.ts',
  compare: 'compare.ts',
  dashboard: 'dashboard.ts',
  engine: 'engine.ts',
  experiments: 'experiments.ts',
  harness: 'harness.ts',
  import: 'import.ts',
  parser: 'parser.ts',
  postgres: 'postgres.ts',
  sandbox: 'sandbox.ts',
  'slow-disk': 'slow-disk.ts',
  slot: 'slot.ts',
  start: 'start.ts',
  store: 'store.ts',
  viewers: 'viewers.ts',
};

const given = process.argv.slice(2);
const firstOption = given.findIndex((argument) => argument.startsWith('-'));
const named = firstOption < 0 ? given : given.slice(0, firstOption);
const options = firstOption < 0 ? [] : given.slice(firstOption);
const unknown = named.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`Unknown measurement: ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}`);
  process.exit(2);
}
if (options.length > 0 && named.length !== 1) {
  console.error('Options belong to one measurement: name it first.');
  process.exit(2);
}

let failed = 0;
for (const [name, file] of Object.entries(benches)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const path = join(import.meta.dirname, file);
  if (!existsSync(path)) throw new Error(`${path} is missing`);
  console.info(`\n=== ${name} ===`);
  const { status } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', path, ...options],
    {
      stdio: 'inherit',
    },
  );
  if (status !== 0) failed += 1;
}
process.exit(failed > 0 ? 1 : 0);
