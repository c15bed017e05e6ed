import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import config from '../vitest.config.ts';

const root = resolve(import.meta.dirname, '..');

it('D21: stories run against a scripted Ollama; those against a real one are stages of their own', () => {
  const asked = spawnSync(process.execPath, [join(root, 'scripts', 'test.mjs'), 'no-such-stage'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(asked.status).toBe(2);
  expect(asked.stderr).toMatch(/Stages: .*\be2e, .*\bollama, .*\be2e-ollama\b/);
  const stages = readFileSync(join(root, 'scripts', 'test.mjs'), 'utf8');
  for (const stage of ['ollama', 'e2e-ollama']) {
    expect(stages).toMatch(new RegExp(`name: '${stage}', .*onlyInCi: true`));
  }
  expect(readFileSync(join(root, '.ci', 'run'), 'utf8')).toMatch(/export CI=true\nnpm test/);
});

it('N10: the unit tests fail where they reach less than 80 % of the code', () => {
  expect(config.test?.coverage).toMatchObject({
    include: ['lib/**/*.ts'],
    thresholds: { lines: 80, statements: 80 },
  });
  const stages = readFileSync(join(root, 'scripts', 'test.mjs'), 'utf8');
  expect(stages).toContain("vitest('unit', '--coverage')");
});

it('D1: the application stands on the named packages, in the named places', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(Object.keys(dependencies)).toEqual(
    expect.arrayContaining(['next', 'react', 'tailwindcss', 'ollama', 'zustand']),
  );
  expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(['@playwright/test', 'vitest']));
  for (const folder of ['app', 'components', 'lib', 'e2e']) {
    expect(statSync(join(root, folder)).isDirectory()).toBe(true);
  }
});
