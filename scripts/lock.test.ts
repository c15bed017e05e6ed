import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const lockEntry = z.object({
  integrity: z.string().optional(),
  inBundle: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  resolved: z.string().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});
const lockFile = z.object({ packages: z.record(z.string(), lockEntry) });

const text = readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8');
const packages = new Map(Object.entries(lockFile.parse(JSON.parse(text)).packages));
packages.delete(''); // the project itself

/** A bundled package is part of its parent's archive, whose checksum covers it. */
function isCovered(path: string): boolean {
  const entry = packages.get(path);
  if (!entry) return false;
  if (entry.inBundle) return isCovered(dirname(path).replace(/\/node_modules(\/@[^/]+)?$/, ''));
  return /^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? '');
}

it('every package of every platform has a checksum', () => {
  expect(packages.size).toBeGreaterThan(200);
  expect([...packages.keys()].filter((path) => !isCovered(path))).toEqual([]);
});

it('no optional package of another platform is missing', () => {
  const missing = [...packages].flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages.has(`node_modules/${name}`) && !packages.has(`${path}/node_modules/${name}`),
    ),
  );
  expect(missing).toEqual([]);
});

it('no package has an install script', () => {
  expect([...packages].filter(([, entry]) => entry.hasInstallScript).map(([path]) => path)).toEqual([]);
});

it('contains no download URLs', () => {
  expect([...packages].filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path)).toEqual([]);
});
