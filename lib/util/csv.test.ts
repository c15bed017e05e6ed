import { expect, it } from 'vitest';
import { csvText } from './csv.ts';

it('writes numbers as numbers, quotes what needs it and disarms formulas', () => {
  expect(
    csvText([
      ['name', 'value'],
      ['=SUM(A1)', -1.5],
      ['a "b", c', undefined],
      ['two\nlines', null],
    ]),
  ).toBe('name,value\r\n\'=SUM(A1),-1.5\r\n"a ""b"", c",\r\n"two\nlines",\r\n');
});
