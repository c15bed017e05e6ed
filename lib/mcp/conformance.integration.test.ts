import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NODE_MODULES } from './under-test.ts';

// The client scenarios of `@modelcontextprotocol/conformance`.

const root = join(NODE_MODULES, '..');
const run = promisify(execFile);
let results: string;

beforeAll(() => {
  results = mkdtempSync(join(tmpdir(), 'loupe-conformance-'));
});
afterAll(() => rmSync(results, { recursive: true, force: true }));

/** Node with the conformance program, which listens on the loopback interface only. */
function conformance(args: readonly string[]) {
  const program = join(NODE_MODULES, '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
  const preload = join(root, 'lib', 'testing', 'loopback-only.mjs');
  return run(process.execPath, ['--import', preload, program, ...args], { cwd: root });
}

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  errorMessage?: string;
}

const SCENARIOS = [
  ...['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
  ...['default', 'var1', 'var2', 'var3'].map((variant) => `auth/metadata-${variant}`),
  ...[
    'from-www-authenticate',
    'from-scopes-supported',
    'omitted-when-undefined',
    'step-up',
    'retry-limit',
  ].map((scope) => `auth/scope-${scope}`),
  ...['basic', 'post', 'none'].map((method) => `auth/token-endpoint-auth-${method}`),
  ...['auth/pre-registration', 'auth/2025-03-26-oauth-endpoint-fallback', 'auth/resource-mismatch'],
  ...['auth/offline-access-scope', 'auth/offline-access-not-supported'],
];

/** Scenarios that do not apply to Loupe. */
const LEFT_OUT = [
  // Needs a document at a public address that describes the client.
  'auth/basic-cimd',
  // Its authorization server names an issuer other than the address where it was found, which RFC 8414
  // forbids.
  'auth/2025-03-26-oauth-metadata-backcompat',
  // Sign-ins without a person.
  ...['auth/client-credentials-jwt', 'auth/client-credentials-basic', 'auth/cross-app-access-complete-flow'],
];

// One scenario measures how soon the client reconnects, which a busy machine may delay.
it.each(SCENARIOS)('passes the conformance scenario %s', { retry: 2, timeout: 60_000 }, async (scenario) => {
  const output = join(results, scenario);
  const client = `${process.execPath} --disable-warning=ExperimentalWarning lib/testing/conformance-client.ts`;
  await conformance(['client', '--command', client, '--scenario', scenario, '-o', output]);
  const [file] = readdirSync(output, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('checks.json'),
  );
  const checks = JSON.parse(readFileSync(join(output, file ?? ''), 'utf8')) as Check[];
  const judged = checks.filter(({ status }) => status !== 'INFO');
  expect(judged.length).toBeGreaterThan(0);
  expect(judged.filter(({ status }) => status === 'FAILURE')).toEqual([]);
});

it('covers all other scenarios of clients', async () => {
  const { stdout } = await conformance(['list']);
  const [, clients = ''] = stdout.split('Client scenarios');
  const names = [...clients.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
  expect(names.sort()).toEqual([...SCENARIOS, ...LEFT_OUT].sort());
});
