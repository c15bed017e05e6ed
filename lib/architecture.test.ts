import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** Who may import whom (ARCHITECTURE.md). A room may always import itself. */
const allowed: Record<string, readonly string[]> = {
  'lib/util': [],
  'lib/errors': ['lib/util'],
  'lib/parser': ['lib/util'],
  'lib/config': ['lib/util', 'lib/errors', 'lib/model'],
  'lib/model': ['lib/util', 'lib/errors', 'lib/parser'],
  'lib/events': ['lib/util', 'lib/errors', 'lib/model', 'lib/parser'],
  'lib/redaction': ['lib/util', 'lib/events'],
  'lib/api': ['lib/util', 'lib/events', 'lib/compare'],
  'lib/player': ['lib/util', 'lib/errors', 'lib/events', 'lib/api'],
  'lib/compare': ['lib/util', 'lib/errors', 'lib/events', 'lib/model', 'lib/parser'],
  'lib/sandbox': ['lib/util', 'lib/errors'],
  'lib/tools': ['lib/util', 'lib/errors', 'lib/parser', 'lib/sandbox', 'lib/events'],
  'lib/policies': ['lib/util', 'lib/errors', 'lib/events', 'lib/model', 'lib/parser', 'lib/tools'],
  'lib/modes': [
    'lib/util',
    'lib/errors',
    'lib/events',
    'lib/api',
    'lib/model',
    'lib/parser',
    'lib/policies',
    'lib/tools',
  ],
  'lib/engine': [
    'lib/util',
    'lib/errors',
    'lib/events',
    'lib/model',
    'lib/modes',
    'lib/parser',
    'lib/policies',
    'lib/tools',
  ],
  'lib/exports': [
    'lib/util',
    'lib/errors',
    'lib/events',
    'lib/api',
    'lib/model',
    'lib/modes',
    'lib/player',
    'lib/policies',
    'lib/redaction',
    'lib/store',
    'lib/testing',
  ],
  'lib/experiments': [
    'lib/compare',
    'lib/util',
    'lib/errors',
    'lib/events',
    'lib/api',
    'lib/model',
    'lib/modes',
    'lib/parser',
    'lib/policies',
    'lib/tools',
    'lib/engine',
    'lib/exports',
    'lib/store',
  ],
  'lib/checks': [
    'lib/util',
    'lib/errors',
    'lib/events',
    'lib/api',
    'lib/model',
    'lib/modes',
    'lib/parser',
    'lib/tools',
    'lib/engine',
  ],
  'lib/store': ['lib/util', 'lib/errors', 'lib/events', 'lib/api', 'lib/testing'],
  'lib/testing': ['lib/util', 'lib/errors', 'lib/events', 'lib/model', 'lib/parser', 'lib/tools', 'lib/api'],
  'lib/runs': [
    'lib/checks',
    'lib/compare',
    'lib/util',
    'lib/errors',
    'lib/config',
    'lib/events',
    'lib/api',
    'lib/model',
    'lib/parser',
    'lib/tools',
    'lib/sandbox',
    'lib/modes',
    'lib/policies',
    'lib/engine',
    'lib/experiments',
    'lib/exports',
    'lib/redaction',
    'lib/shares',
    'lib/store',
    'lib/testing',
    'lib/redaction',
  ],
  'lib/http': [
    'lib/util',
    'lib/errors',
    'lib/config',
    'lib/events',
    'lib/api',
    'lib/exports',
    'lib/player',
    'lib/redaction',
    'lib/runs',
    'lib/store',
  ],
  'lib/server': [
    'lib/util',
    'lib/errors',
    'lib/config',
    'lib/http',
    'lib/player',
    'lib/runs',
    'lib/share-server',
  ],
  'lib/cli': ['lib/util', 'lib/errors', 'lib/config', 'lib/events', 'lib/api', 'lib/browser'],
  'lib/shares': ['lib/util', 'lib/errors', 'lib/events', 'lib/api', 'lib/redaction', 'lib/store'],
  'lib/share-server': [
    'lib/util',
    'lib/errors',
    'lib/config',
    'lib/events',
    'lib/api',
    'lib/shares',
    'lib/player',
    'lib/http',
    'lib/runs',
  ],
  'lib/browser': ['lib/util', 'lib/events', 'lib/api'],
  components: ['lib/util', 'lib/events', 'lib/api', 'lib/browser', 'lib/testing'],
};

interface Import {
  file: string;
  specifier: string;
  typeOnly: boolean;
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const lines = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gms);
  return [...lines].map(([, type, specifier = '']) => ({ file, specifier, typeOnly: type !== undefined }));
}

/** The file an import names, relative to the root; `undefined` for packages. */
function target({ file, specifier }: Import): string | undefined {
  if (specifier.startsWith('#lib/')) return `lib/${specifier.slice('#lib/'.length)}`;
  if (specifier.startsWith('.')) return relative(root, resolve(root, dirname(file), specifier));
  return undefined;
}

function roomOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'lib' ? `${first}/${second}` : first;
}

const rooms = ['lib', 'components'].flatMap(sources);

it('knows every room', () => {
  const unknown = rooms.map(roomOf).filter((room) => allowed[room] === undefined);
  expect([...new Set(unknown)]).toEqual([]);
});

it('imports only in the direction of the map', () => {
  const wrong = rooms.flatMap(importsOf).flatMap((line) => {
    const to = target(line);
    if (to === undefined) return [];
    const from = roomOf(line.file);
    return from === roomOf(to) || allowed[from]?.includes(roomOf(to)) ? [] : [`${line.file} imports ${to}`];
  });
  expect(wrong).toEqual([]);
});

it('lets the engine and the policies see interfaces only: no client, no process, no store', () => {
  const outside = ['lib/engine', 'lib/policies', 'lib/modes']
    .flatMap(sources)
    .flatMap(importsOf)
    .flatMap((line) => {
      const to = target(line);
      if (to === undefined || line.typeOnly) return [];
      const wanted =
        !/^lib\/(model|tools)\//.test(to) ||
        /^lib\/(model\/(model-error|cost)|tools\/summarize)\.ts$/.test(to);
      return wanted ? [] : [`${line.file} imports ${to}`];
    });
  expect(outside).toEqual([]);
});

it('keeps zod and Node out of the browser', () => {
  const seen = new Set<string>();
  const heavy: string[] = [];
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const line of importsOf(file)) {
      if (line.typeOnly) continue;
      if (line.specifier === 'zod' || line.specifier.startsWith('node:'))
        heavy.push(`${file} imports ${line.specifier}`);
      const to = target(line);
      if (to !== undefined && /\.tsx?$/.test(to)) visit(to);
    }
  };
  for (const file of ['lib/browser', 'components'].flatMap(sources)) visit(file);
  expect(heavy).toEqual([]);
});

it('keeps Next and the pages of the dashboard out of the player, which runs without a server', () => {
  const seen = new Set<string>();
  const foreign: string[] = [];
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const line of importsOf(file)) {
      if (line.typeOnly) continue;
      if (line.specifier.startsWith('next')) foreign.push(`${file} imports ${line.specifier}`);
      const to = target(line);
      if (to !== undefined && /\.tsx?$/.test(to)) visit(to);
    }
  };
  visit('components/player/main.tsx');
  expect([...seen]).not.toContain('components/hooks/use-api.ts');
  expect(seen.size).toBeGreaterThan(30);
  expect(foreign).toEqual([]);
});
