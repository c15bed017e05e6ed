import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readPlaywrightReport, readVitestReport, troubleText } from './test-report.mjs';

const modules = resolve(import.meta.dirname, '..', 'node_modules');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-report-'));
  symlinkSync(modules, join(folder, 'node_modules'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a test runner in the folder, with its report in report.json. */
function runner(...args: string[]): { status: number; stderr: string } {
  const { VITEST: _own, ...env } = process.env;
  const done = spawnSync(process.execPath, args, {
    cwd: folder,
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: join(folder, 'report.json') },
  });
  return { status: done.status ?? 1, stderr: done.stderr.toString() };
}

function vitest(): { status: number; stderr: string } {
  return runner(
    join(modules, 'vitest', 'vitest.mjs'),
    'run',
    '--root',
    folder,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${join(folder, 'report.json')}`,
  );
}

it('the summary lists each failed unit test with its error [D21]', () => {
  writeFileSync(
    join(folder, 'sums.test.ts'),
    `import { expect, it } from 'vitest';
    it('adds', () => expect(1 + 1).toBe(2));
    it('adds wrongly', () => expect(1 + 1).toBe(3));
    it.skip('waits', () => {});`,
  );
  const outcome = readVitestReport(join(folder, 'report.json'), vitest().status);
  expect(outcome).toMatchObject({ passed: 1, failed: 1, skipped: 1 });
  const text = troubleText(outcome.troubles.map((trouble) => ({ ...trouble, stage: 'unit' })));
  expect(text).toMatch(
    /^FAILED {2}unit: \S*sums\.test\.ts > adds wrongly\n {4}AssertionError: expected 2 to be 3/,
  );
});

it('a file that cannot be loaded, and an error outside every test, count as failures [D21]', () => {
  writeFileSync(join(folder, 'broken.test.ts'), `import './not-there.ts';`);
  const broken = readVitestReport(join(folder, 'report.json'), vitest().status);
  expect(broken).toMatchObject({ passed: 0, failed: 1 });
  expect(broken.troubles[0]?.title).toContain('broken.test.ts');
  expect(broken.troubles[0]?.message).toContain('not-there.ts');

  writeFileSync(
    join(folder, 'broken.test.ts'),
    `import { it } from 'vitest';
    it('is done before its promise', () => { void Promise.reject(new Error('nobody waits')); });`,
  );
  const { status, stderr } = vitest();
  const outside = readVitestReport(join(folder, 'report.json'), status, stderr);
  expect(outside).toMatchObject({ passed: 1, failed: 1 });
  expect(outside.troubles[0]?.title).toBe('an error outside a test');
  expect(outside.troubles[0]?.message).toMatch(/Error: nobody waits\n(.*\n)*.*broken\.test\.ts/);
});

it('an error in an afterAll hook counts as a failure and is shown [D21]', () => {
  writeFileSync(
    join(folder, 'tidy.test.ts'),
    `import { afterAll, describe, it } from 'vitest';
    describe('a part', () => {
      afterAll(() => { throw new Error('cannot tidy up'); });
      it('holds', () => {});
    });`,
  );
  const { status, stderr } = vitest();
  const outcome = readVitestReport(join(folder, 'report.json'), status, stderr);
  expect(outcome).toMatchObject({ passed: 1, failed: 1 });
  expect(outcome.troubles[0]?.title).toContain('tidy.test.ts');
  expect(outcome.troubles[0]?.message).toContain('Error: cannot tidy up');
});

it('the summary lists each failed story, and those that passed on a retry [D21]', () => {
  writeFileSync(join(folder, 'playwright.config.ts'), `export default { retries: 1 };`);
  writeFileSync(
    join(folder, 'story.spec.ts'),
    `import { expect, test } from '@playwright/test';
    test.describe('a part', () => {
      test('holds', () => expect(1).toBe(1));
      test('holds the second time', ({}, info) => expect(info.retry).toBe(1));
      test('never holds', () => expect('this').toBe('that'));
    });`,
  );
  const { status } = runner(join(modules, '@playwright', 'test', 'cli.js'), 'test', '--reporter=json');
  const outcome = readPlaywrightReport(join(folder, 'report.json'), status);
  expect(outcome).toMatchObject({ passed: 2, failed: 1, skipped: 0 });
  expect(outcome.troubles.map(({ title, flaky }) => [title, flaky])).toEqual([
    ['story.spec.ts:4 holds the second time', true],
    ['story.spec.ts:5 never holds', false],
  ]);
  expect(outcome.troubles[1]?.message).toContain('Expected: "that"');
});
