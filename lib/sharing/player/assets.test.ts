import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { playerFolder as builtFolder } from '../../../scripts/build-state.mjs';
import { playerAssets, playerFolder } from './assets.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'loupe-player-'));
  vi.stubEnv('LOUPE_DIST_DIR', '');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

it('says how to build a missing player', () => {
  expect(() => playerAssets(root)).toThrow(
    expect.objectContaining({ code: 'player_not_built', hint: expect.stringContaining('build-player.mjs') }),
  );
});

it('returns the built files with their hashes for a content security policy', () => {
  mkdirSync(join(root, 'dist-player'));
  writeFileSync(join(root, 'dist-player', 'player.js'), 'alert(1)');
  writeFileSync(join(root, 'dist-player', 'player-formulas.js'), '');
  writeFileSync(join(root, 'dist-player', 'player.css'), '');
  expect(playerAssets(root)).toEqual({
    script: 'alert(1)',
    formulas: '',
    style: '',
    // Output of `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`.
    scriptHash: 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=',
    formulasHash: 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
    styleHash: 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  });
});

it('reads the folder that the build writes to', () => {
  for (const distDir of [undefined, '.next-x'])
    expect(playerFolder(distDir)).toBe(builtFolder(distDir ?? ''));
});
