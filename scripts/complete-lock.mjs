#!/usr/bin/env node
// Adds the platform packages that the registry in use could not offer to package-lock.json. Without them `npm ci`
// stops with EUSAGE on every machine. Run it after each change of dependencies: node scripts/complete-lock.mjs
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));

const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'openharmony',
  'netbsd',
  'openbsd',
  'sunos',
  'aix',
  'win32',
];
const processors = [
  'x64',
  'arm64',
  'arm',
  'ia32',
  'ppc64',
  'riscv64',
  's390x',
  'loong64',
  'wasm32',
  'mips64el',
];

/** The entry npm would have written, read off the package's name: `@next/swc-darwin-arm64` runs on darwin, arm64. */
function platformEntry(name, version, dev) {
  const base = name.split('/').pop();
  const entry = { version, optional: true, ...(dev ? { dev: true } : {}) };
  if (base.includes('wasm32')) return { ...entry, cpu: ['wasm32'] };
  const system =
    systems.find((word) => base.includes(word)) ??
    (base.includes('win') ? 'win32' : base.includes('mac') ? 'darwin' : null);
  const words = base.split(/[-_]/);
  const processor =
    processors.find((word) => words.includes(word)) ?? (base.includes('gnueabihf') ? 'arm' : null);
  if (system) entry.os = [system];
  if (processor) entry.cpu = [processor];
  if (base.includes('musl')) entry.libc = ['musl'];
  return entry;
}

let added = 0;
for (const [path, entry] of Object.entries({ ...lock.packages })) {
  if (path === '') continue;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (!/^\d/.test(version)) continue;
    const known = lock.packages[`${path}/node_modules/${name}`] ?? lock.packages[`node_modules/${name}`];
    if (known) continue;
    lock.packages[`node_modules/${name}`] = platformEntry(name, version, entry.dev === true);
    added += 1;
  }
}

const addresses = Object.values(lock.packages).filter((entry) => entry.resolved !== undefined);
for (const entry of addresses) delete entry.resolved;

lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.info(
  `package-lock.json: ${added} platform packages added, ${addresses.length} download addresses removed`,
);
