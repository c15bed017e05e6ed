import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { markBuilt } from '../../scripts/build-state.mjs';
import { programBuild } from './program-build.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'loupe-build-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

it('returns the source hash of the dashboard that this server uses', () => {
  vi.stubEnv('LOUPE_DIST_DIR', undefined);
  expect(programBuild(root)).toBeUndefined();
  markBuilt({ folder: '.next', hash: 'of-the-sources', root });
  markBuilt({ folder: '.next-test', hash: 'of-a-test', root });
  expect(programBuild(root)).toBe('of-the-sources');
  vi.stubEnv('LOUPE_DIST_DIR', '.next-test');
  expect(programBuild(root)).toBe('of-a-test');
});
