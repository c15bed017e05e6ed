import { expect, it } from 'vitest';
import { readYaml } from './read-yaml.ts';

it('reads YAML and JSON, with the line of each value and of what is missing', () => {
  const read = readYaml('\u{feff}a: 1\nlist:\n  - x: [1, 2]\n  -\n    y: 3\n');
  if ('problem' in read) throw new Error(read.problem.reason);
  expect(read.value).toEqual({ a: 1, list: [{ x: [1, 2] }, { y: 3 }] });
  expect(read.lineOf(['list', 1, 'y'])).toBe(5);
  expect(read.lineOf(['list', 0, 'missing'])).toBe(3);
  expect(readYaml('{"a": true}')).toMatchObject({ value: { a: true } });
});

it.each([
  ['a: 1\nb: [1', 2, 'Flow sequence'],
  ['a: 1\na: 2', 2, 'unique'],
  ['a: !tag 1', 1, 'tag'],
  ['a: 1\nb: {c: {d: 1,\n "d": 2}}', 3, 'unique'],
  // A file from anywhere may have 4 MB of them, which the library reads for half a minute.
  ['['.repeat(4_000_000), 1, 'nested too deeply'],
  ['- '.repeat(2_000_000), 1, 'nested too deeply'],
  [`${'['.repeat(50_000)}${']'.repeat(50_000)}`, undefined, 'nested too deeply'],
])('says what is wrong and where: %.20s', (text, line, reason) => {
  const read = readYaml(text);
  if (!('problem' in read)) throw new Error('It was read');
  if (line !== undefined) expect(read.problem.line).toBe(line);
  expect(read.problem.reason).toContain(reason);
  expect(read.problem.reason).toMatch(/\.$/);
});

it('reads as many keys as fit into a file, in a time that grows with their number', () => {
  const keys = Array.from({ length: 50_000 }, (_, index) => `key${index}: ${index}`);
  const read = readYaml(keys.join('\n'));
  if ('problem' in read) throw new Error(read.problem.reason);
  expect(read.lineOf(['key49999'])).toBe(50_000);
});

it('refuses aliases that multiply', () => {
  const levels = 'abcdefghi'.split('').map((name, index, names) => {
    const before = names[index - 1];
    return `${name}: &${name} [${before === undefined ? 'x' : Array(10).fill(`*${before}`).join(', ')}]`;
  });
  expect(readYaml(levels.join('\n'))).toMatchObject({
    problem: { reason: expect.stringContaining('Too many aliases') },
  });
});
