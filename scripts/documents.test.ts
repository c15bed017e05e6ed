import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readEnvironment } from '../lib/config/environment.ts';
import { AppError } from '../lib/errors/app-error.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json'));

it('docs/dependencies.md lists exactly the packages in use', () => {
  const needed = Object.keys({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
    ...JSON.parse(read('scripts/mutation/package.json')).dependencies,
  });
  const [npm = ''] = read('docs/dependencies.md').split('## Outside npm');
  const cells = [...npm.matchAll(/^\| (?!package|-)([^|]+) \|/gm)].map(([, cell = '']) => cell);
  const named = cells.flatMap((cell) => cell.split(', '));
  const isNamed = (name: string) => named.includes(name) || named.includes(name.replace(/\/.*/, '/*'));
  const isNeeded = (name: string) => needed.some((one) => one === name || `${dirname(one)}/*` === name);
  expect(needed.filter((name) => !isNamed(name))).toEqual([]);
  expect(named.filter((name) => !isNeeded(name))).toEqual([]);
});

it('docs/settings.md lists exactly the existing settings', () => {
  let hint = '';
  try {
    readEnvironment({ LOUPE_PORT: 'none' });
  } catch (error) {
    if (error instanceof AppError) hint = error.hint ?? '';
  }
  const settings = [...hint.matchAll(/[A-Z_]{5,}/g)].map(([name]) => name);
  const rows = [...read('docs/settings.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(settings).toContain('OLLAMA_HOST');
  expect(rows.toSorted()).toEqual(settings.toSorted());
});

it('the server starts with the variables that docs/settings.md has for developing Loupe', () => {
  const [, developing = ''] = read('docs/settings.md').split('## Developing Loupe');
  const names = [...developing.matchAll(/^\| `(\w+)=/gm)].map(([, name = '']) => name);
  expect(names).toContain('LOUPE_FAULT');
  expect(() => readEnvironment(Object.fromEntries(names.map((name) => [name, '1'])))).not.toThrow();
});

it('every entry point requires the Node version in package.json', () => {
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(manifest.engines.node) ?? [];
  expect(read('scripts/ensure.mjs')).toContain(`MINIMUM_NODE = [${major}, ${minor}];`);
  expect(read('scripts/start.mjs')).toContain(`major < ${major} || (major === ${major} && minor < ${minor})`);
  expect(read('bin/loupe.mjs')).toContain(`major > ${major} || (major === ${major} && minor >= ${minor})`);
  expect(read('bin/loupe.mjs')).toContain(`Node ${major}.${minor} or newer is needed`);
  expect(read('scripts/start.mjs')).toContain(`Loupe needs Node ${major}.${minor} or newer`);
});

it('SECURITY.md refers to existing tests', () => {
  const tests = ['lib', 'e2e', 'scripts'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
  );
  const text = read('SECURITY.md');
  const named = [
    ...text.matchAll(/`([\w./-]+(?:\.test|\.spec|-contract)\.ts)`(?: \(([^)]*)\))?/g),
    // The table of defenses, where the titles follow what they show.
    ...text.matchAll(/^\| [\d, a-z]+ \| `([^`]+)` \| (.*) \|$/gm),
  ];
  const missing = named.flatMap(([, name = '', about = '']) => {
    const files = tests.filter((file) => file === name || file.endsWith(`/${name}`));
    const titles = [...about.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title);
    if (files.length !== 1) return [`${name}: ${files.length} files`];
    return titles
      .filter((title) => !read(files[0] ?? '').includes(title))
      .map((title) => `${name}: ${title}`);
  });
  expect(named.length).toBeGreaterThan(150);
  expect(missing).toEqual([]);
});

it('every relative link in the documents resolves', () => {
  const documents = ['.', 'docs', 'docs/decisions', 'e2e/ollama'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.md'))
      .map((file) => join(folder, file)),
  );
  const broken = documents.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
      .map(([, link = '']) => join(dirname(file), link))
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${file}: ${path}`),
  );
  expect(documents.length).toBeGreaterThan(30);
  expect(broken).toEqual([]);
});
