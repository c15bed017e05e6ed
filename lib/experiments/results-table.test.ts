import { expect, it } from 'vitest';
import { experimentItem } from '../api/experiment.ts';
import { resultsCsv } from './results-table.ts';

it('has a column for every field of a result; those of the outcome have their own', () => {
  const fields = experimentItem.shape.result.unwrap().keyof().options;
  const columns = resultsCsv([]).trimEnd().split(',');
  expect(fields.filter((field) => !columns.includes(field))).toEqual([]);
  expect(columns).toHaveLength(new Set(columns).size);
});
