import { expect, it } from 'vitest';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { completedLog } from '../../testing/sample-logs.ts';
import { queryWords, searchRows } from './search-rows.ts';

const { rows } = foldTimeline(emptyTimeline, completedLog().events);
const kinds = (query: string) => searchRows(rows, queryWords(query)).map((index) => rows[index]?.kind);

it('finds prompts, thinking, calls and answers', () => {
  expect(kinds('compare their figures')).toContain('created');
  expect(kinds('comparison of three')).toEqual(['call']);
  expect(kinds('Q2.MD')).toContain('tool');
  expect(kinds('costs fell in the third')).toEqual(['call', 'end']);
});

it('matches like the search over all runs: ignoring case and accents, with phrases in quotes', () => {
  expect(kinds('"costs fell in" THIRD')).toEqual(['call', 'end']);
  expect(kinds('"fell costs"')).toEqual([]);
  expect(kinds('"cósts FÉLL in" thírd')).toEqual(['call', 'end']);
  expect(kinds('"')).toEqual([]);
});

it('takes all words of a query in any order, and nothing for none', () => {
  expect(kinds('summary.md write_file')).toEqual(['tool']);
  expect(searchRows(rows, queryWords('  '))).toEqual([]);
  expect(searchRows(rows, queryWords('zebra'))).toEqual([]);
});
