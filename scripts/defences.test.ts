import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { DEFENCES } from './defences.ts';

const root = resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

// break-defences.ts, which takes minutes, checks that the tests fail; this test checks that the list matches the code.
it.each(DEFENCES.map((defence) => [defence.does, defence] as const))(
  '%s',
  (_, { file, find, test, title }) => {
    expect(read(file).split(find)).toHaveLength(2);
    if (title) expect(read(test)).toContain(title.trim());
    else expect(read(test)).not.toBe('');
  },
);
