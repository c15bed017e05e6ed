import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Ballast } from './ballast.ts';

const MEGABYTE = 1024 * 1024;

let folder: string;
let ballast: Ballast;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-ballast-'));
  ballast = new Ballast(join(folder, 'ballast'), { bytes: MEGABYTE });
});
afterEach(() => rmSync(folder, { recursive: true }));

it('takes no more than is available', () => {
  expect(ballast.fill(300 * 1024)).toBe(false);
  expect(ballast.size).toBe(256 * 1024);
  expect(ballast.fill(-1)).toBe(false);
  expect(ballast.fill(10 * MEGABYTE)).toBe(true);
  expect(ballast.size).toBe(MEGABYTE);
});

it('is given back in four parts', () => {
  ballast.fill(MEGABYTE);
  const sizes = [];
  while (ballast.release()) sizes.push(ballast.size / 1024);
  expect(sizes).toEqual([768, 512, 256, 0]);
});
