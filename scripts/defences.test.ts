import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { DEFENCES } from './defences.ts';

const root = resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

// Whether the tests go red is shown by break-defences.ts, which takes minutes; that the list fits the code, here.
it.each(DEFENCES.map((defence) => [defence.does, defence] as const))(
  '%s',
  (_, { file, find, test, title }) => {
    expect(read(file).split(find)).toHaveLength(2);
    if (title) expect(read(test)).toContain(title.trim());
    else expect(read(test)).not.toBe('');
  },
);
