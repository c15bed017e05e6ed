import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

it('pages, errors and the terminal have straight apostrophes', () => {
  const files = ['app', 'bin', 'components', 'lib'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const sources = files.filter(
    (file) => /(?<!\.test)\.(tsx?|mjs)$/.test(file) && !file.startsWith('lib/testing/'),
  );
  expect(sources.length).toBeGreaterThan(1000);
  const curly = sources.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => /\p{L}’/u.test(line) && !/^\s*(\/\/|\/?\*)/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(curly).toEqual([]);
});
