import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

const documentation = readFileSync(join(root, 'docs', 'requirements.md'), 'utf8');
const TEST_FILE = /(\.(test|spec)\.ts|store-contract\/[a-z-]+\.ts)$/;

/** The program's own sources and its manifest, without tests. */
function programText(): string {
  const sources = ['app', 'components', 'lib'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !TEST_FILE.test(file))
      .map((file) => join(room, file)),
  );
  return [...sources, 'docs/api.md'].map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
}

/** What follows `it(`, `test(`, `describe(`, and a table of `each`, as a text. */
function titlesIn(source: string): string[] {
  const title =
    /(?:\b(?:it|test|describe)\b[^'"`\n]{0,200}?\(|\]\s*(?:as const\s*)?\)\()\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gs;
  return [...source.matchAll(title)].map((match) => match[2] ?? '');
}

/** The numbers that a text cites: `G6, T12`, `V5-V8`, `K-21`, `D14 to D17`. */
function citedIn(text: string): string[] {
  return [...text.matchAll(/\b([A-Z])(-?)(\d+)(?:(?:-| to )\1-?(\d+))?\b/g)].flatMap(
    ([, family = '', dash = '', from = '', to = from]) =>
      Array.from(
        { length: Math.max(1, Number(to) - Number(from) + 1) },
        (_, step) => `${family}${dash}${Number(from) + step}`,
      ),
  );
}

it('reads ranges, traps and rows of tables', () => {
  expect(citedIn('G6, V5-V7, K-21: D14 to D15 of N1.5')).toEqual([
    ...['G6', 'V5', 'V6', 'V7', 'K-21', 'D14', 'D15', 'N1'],
  ]);
  expect(titlesIn("it.each([1, 2])('S14: ends %s', () => {});\ntest(\n  `G17: \\`a\\``, f)")).toEqual([
    'S14: ends %s',
    'G17: \\`a\\`',
  ]);
});

/** A row of the table at the end: what meets a rule, and the tests that show it. */
interface Row {
  id: string;
  metBy: string;
  tests: { file: string; title: string | undefined }[];
}

function rowsIn(text: string): Row[] {
  return [...text.matchAll(/^\| ([A-Z]-?\d+) \|(.*)\| (.*) \|$/gm)].map(
    ([, id = '', metBy = '', tests = '']) => ({
      id,
      metBy: metBy.trim(),
      tests: [...tests.matchAll(/`([^`]+)`(?:: “([^”]+)”)?/g)].map(([, file = '', title]) => ({
        file,
        title,
      })),
    }),
  );
}

const isTest = (file: string) => TEST_FILE.test(file) && existsSync(join(root, file));

/** What is wrong with a row: a test that doesn't exist or shows another rule, or a part that is not in the program. */
function faultsOf({ id, metBy, tests }: Row, program: string): string[] {
  const faults = tests.flatMap(({ file, title }) => {
    if (!isTest(file)) return [`${id}: ${file} is no test`];
    const found = titlesIn(readFileSync(join(root, file), 'utf8'));
    const shows = title === undefined ? found.flatMap(citedIn).includes(id) : found.includes(title);
    return shows ? [] : [`${id}: ${file} has no test with ${title ? `the title “${title}”` : 'this number'}`];
  });
  const named = [...metBy.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const missing = named.filter((name) =>
    name.endsWith('/') ? !existsSync(join(root, name)) : !program.includes(name),
  );
  return [
    ...faults,
    ...(tests.length === 0 ? [`${id}: no test`] : []),
    ...missing.map((name) => `${id}: ${name} is nowhere in the program`),
  ];
}

it('reads what meets a requirement, and its tests, and finds missing ones', () => {
  const [row] = rowsIn(
    '| T1 | `runLoop`, `noSuchThing` | `lib/a.test.ts`, `lib/requirements.test.ts`: “no title” |',
  );
  expect(row).toEqual({
    id: 'T1',
    metBy: '`runLoop`, `noSuchThing`',
    tests: [
      { file: 'lib/a.test.ts', title: undefined },
      { file: 'lib/requirements.test.ts', title: 'no title' },
    ],
  });
  expect(row && faultsOf(row, 'function runLoop()')).toEqual([
    'T1: lib/a.test.ts is no test',
    'T1: lib/requirements.test.ts has no test with the title “no title”',
    'T1: noSuchThing is nowhere in the program',
  ]);
});

const repeated = (ids: readonly string[]) => ids.filter((id, index) => ids.indexOf(id) !== index);

it('every rule of docs/requirements.md is met by something that is there, and shown by a test', () => {
  const [rules = '', table = ''] = documentation.split(/^## What meets each rule.*$/m);
  const ids = [...rules.matchAll(/^\| ([A-Z]-?\d+) \|(.*)$/gm)].map(([, id = '', line = '']) => ({
    id,
    line,
  }));
  expect(ids.length).toBeGreaterThan(200);
  const rows = rowsIn(table);
  expect(repeated(ids.map(({ id }) => id))).toEqual([]);
  expect(repeated(rows.map(({ id }) => id))).toEqual([]);
  const shown = new Set(rows.map(({ id }) => id));
  const known = new Set(ids.map(({ id }) => id));
  const held = ({ id, line }: { id: string; line: string }): boolean => {
    if (shown.has(id)) return true;
    // A trap is resolved by other rules: their tests hold it.
    const others = id.startsWith('K') ? citedIn(line).filter((other) => known.has(other)) : [];
    return others.length > 0 && others.every((other) => shown.has(other));
  };
  expect(ids.filter((rule) => !held(rule)).map(({ id }) => id)).toEqual([]);
  expect(rows.filter(({ id }) => !known.has(id)).map(({ id }) => id)).toEqual([]);
  const program = programText();
  expect(rows.flatMap((row) => faultsOf(row, program))).toEqual([]);
});
