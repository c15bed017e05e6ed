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

it('documented commands start TypeScript files with the Node that Loupe installs', () => {
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`),
  ];
  const commands = documents
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...read(file).matchAll(/(?<!npx )\bnode (?:-\S+ )*\S+\.ts\b/g)].map(([command]) => command),
    );
  expect(commands).toEqual([]);
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

/** The texts of the files of some rooms whose names match, by path. */
function filesOf(rooms: readonly string[], name: RegExp): [path: string, text: string][] {
  return rooms
    .flatMap((room) =>
      readdirSync(join(root, room), { recursive: room !== '.', encoding: 'utf8' }).map((file) =>
        join(room, file),
      ),
    )
    .filter((path) => name.test(path))
    .map((path) => [path, read(path)]);
}

const documents = filesOf(['.', 'docs', 'e2e'], /\.md$/);
const sources = filesOf(['app', 'bin', 'components', 'lib', 'scripts'], /\.(?:ts|tsx|mjs)$/);

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.*)$/gm)].map(([, words = '']) =>
    words
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return headings.map((anchor, index) => {
    const earlier = headings.slice(0, index).filter((other) => other === anchor).length;
    return earlier === 0 ? anchor : `${anchor}-${earlier}`;
  });
}

it('finds the anchors of headings', () => {
  const text = '# A `b`: c\n```sh\n# no heading\n```\n## [Link](x.md), and more\n## Same\n### Same\n';
  expect(anchorsOf(text)).toEqual(['a-b-c', 'link-and-more', 'same', 'same-1']);
});

it('every relative link in the documents leads to a file, and to a heading in it', () => {
  const texts = new Map(documents);
  const isBroken = (file: string, link: string) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !anchorsOf(texts.get(target) ?? '').includes(anchor);
  };
  const links = documents.flatMap(([file, text]) =>
    [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => [file, link] as const),
  );
  expect(links.length).toBeGreaterThan(60);
  expect(links.filter(([file, link]) => isBroken(file, link))).toEqual([]);
});

it('requirements, facts about Ollama and decisions that documents and comments cite exist', () => {
  const requirements = [...read('docs/requirements.md').matchAll(/^\| ([A-Z]-?\d+) \|/gm)].map(
    ([, id = '']) => id,
  );
  const facts = [...read('docs/ollama.md').matchAll(/^\| (OL\d+) \|/gm)].map(([, id = '']) => id);
  const decisions = readdirSync(join(root, 'docs', 'decisions')).map((file) => Number(file.slice(0, 4)));
  const families = [...new Set(requirements.map((id) => id.replace(/\d+$/, '')))];
  const unknown = [...documents, ...sources].flatMap(([file, text]) => {
    const groups = [...text.matchAll(/[([]((?:[A-Z]-?\d+)(?:, [A-Z]-?\d+)*)[)\]]/g)];
    const cited = groups.flatMap(([, ids = '']) => ids.split(', '));
    return [
      ...cited.filter((id) => families.includes(id.replace(/\d+$/, '')) && !requirements.includes(id)),
      ...[...text.matchAll(/\bOL\d+\b/g)].map(([id]) => id).filter((id) => !facts.includes(id)),
      ...[...text.matchAll(/\bdecisions?[ /](\d+)\b/g)]
        .map(([, id]) => Number(id))
        .filter((id) => !decisions.includes(id)),
    ].map((id) => `${file}: ${id}`);
  });
  expect(unknown).toEqual([]);
});

it('documents that the program names exist', () => {
  const named = sources
    .filter(([file]) => !file.startsWith(join('lib', 'suites')) && !file.startsWith(join('lib', 'testing')))
    .flatMap(([, text]) => [...text.matchAll(/\bdocs\/[a-z-]+\.md\b/g)].map(([path]) => path));
  expect(named).toContain('docs/api.md');
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it('docs/settings.md has every variable that the program and its scripts read', () => {
  const settings = read('docs/settings.md');
  const named = sources
    .filter(([file]) => !/\.test\.ts$|^lib\/testing|^scripts\/mutation/.test(file))
    .flatMap(([, text]) =>
      [...text.matchAll(/\benv\.(LOUPE_\w+)|^ +'(LOUPE_\w+)',$/gm)].map(([, read, listed]) => read ?? listed),
    );
  expect(named).toContain('LOUPE_URL');
  expect([...new Set(named)].filter((name) => !settings.includes(`\`${name}`))).toEqual([]);
});
