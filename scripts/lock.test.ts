import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const lockEntry = z.object({
  integrity: z.string().optional(),
  inBundle: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  resolved: z.string().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});
const lockFile = z.object({ packages: z.record(z.string(), lockEntry) });

const root = join(import.meta.dirname, '..');

describe.each([
  ['package-lock.json', 200],
  ['scripts/mutation/package-lock.json', 100],
])('%s', (file, atLeast) => {
  const { packages: all } = lockFile.parse(JSON.parse(readFileSync(join(root, file), 'utf8')));
  const packages = new Map(Object.entries(all));
  packages.delete(''); // the project itself

  /** A bundled package is part of its parent's archive, whose checksum covers it. */
  function isCovered(path: string): boolean {
    const entry = packages.get(path);
    if (!entry) return false;
    if (entry.inBundle) return isCovered(dirname(path).replace(/\/node_modules(\/@[^/]+)?$/, ''));
    return /^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? '');
  }

  it('every package of every platform has a checksum', () => {
    expect(packages.size).toBeGreaterThan(atLeast);
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
    expect([...packages].filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path)).toEqual(
      [],
    );
  });
});
