import { expect, it } from 'vitest';
import { cpuMs } from '../../testing/cpu-time.ts';
import { readCsv } from './csv.ts';

it('reads quoted values with separators, quotes and line breaks in them', () => {
  expect(readCsv('name,note\r\nAnn,"a, ""b""\nc"\r\n\r\n', ',')).toEqual({
    head: ['name', 'note'],
    rows: [['Ann', 'a, "b"\nc']],
    isCut: false,
  });
  expect(readCsv('a\tb\n1\t2', '\t')?.rows).toEqual([['1', '2']]);
});

it('leaves out rows and columns beyond what a page shows well, and says so', () => {
  const long = readCsv(`a,b\n${'1,2\n'.repeat(5000)}`, ',');
  expect([long?.rows.length, long?.isCut]).toEqual([500, true]);
  const wide = readCsv(`${'a,'.repeat(999)}\n${'1,'.repeat(999)}`, ',');
  expect([wide?.head.length, wide?.rows[0]?.length, wide?.isCut]).toEqual([40, 40, true]);
});

it('does not mistake other text for a table', () => {
  for (const text of ['', 'a,b', 'one line\nand another', 'a,b\n"never closed,c\n']) {
    expect(readCsv(text, ',')).toBeUndefined();
  }
});

it.each([',', '"', '"a,', '\n', '",\n"'])('parses many of %j in time', (unit) => {
  expect(cpuMs(() => readCsv(unit.repeat(200_000 / unit.length), ','))).toBeLessThan(1500);
});
