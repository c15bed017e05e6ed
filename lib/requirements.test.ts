import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** Every rule of docs/requirements.md with its line, in order. */
function rules(): { id: string; line: string }[] {
  const text = readFileSync(join(root, 'docs', 'requirements.md'), 'utf8');
  return text.split('\n').flatMap((line) => {
    const id = /^\| ([A-Z]-?\d+) \|/.exec(line)?.[1];
    return id === undefined ? [] : [{ id, line }];
  });
}

/** The titles of all tests, as they are written. */
function titles(): string[] {
  const found: string[] = [];
  for (const room of ['lib', 'e2e', 'scripts', 'bench']) {
    for (const file of readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })) {
      if (!/(\.(test|spec)|store-contract)\.ts$/.test(file)) continue;
      found.push(...titlesIn(readFileSync(join(root, room, file), 'utf8')));
    }
  }
  return found;
}

/** What follows `it(`, `test(`, `describe(` and their forms with a table as a text. */
function titlesIn(source: string): string[] {
  const title = /\b(?:it|test|describe)\b[^'"`\n]{0,200}?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gs;
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

it('every rule of docs/requirements.md is the number of a test', () => {
  const known = new Set(rules().map(({ id }) => id));
  const cited = new Set(titles().flatMap(citedIn));
  const held = ({ id, line }: { id: string; line: string }): boolean => {
    if (cited.has(id)) return true;
    // A trap is resolved by other rules: their tests hold it.
    const others = id.startsWith('K')
      ? citedIn(line).filter((other) => other !== id && known.has(other))
      : [];
    return others.length > 0 && others.every((other) => cited.has(other));
  };
  expect(known.size).toBeGreaterThan(200);
  expect(
    rules()
      .filter((rule) => !held(rule))
      .map(({ id }) => id),
  ).toEqual([]);
});
