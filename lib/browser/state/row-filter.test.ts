import { expect, it } from 'vitest';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { completedLog, endedLog, repairedLog } from '../../testing/sample-logs.ts';
import {
  ALL_ROWS,
  filterRows,
  isRepaired,
  readRowFilter,
  toolNames,
  troubleOf,
  writeRowFilter,
} from './row-filter.ts';

const rowsOf = (log: { events: Parameters<typeof foldTimeline>[1] }) =>
  foldTimeline(emptyTimeline, log.events).rows;

it('returns the same list if everything passes', () => {
  const rows = rowsOf(completedLog());
  expect(filterRows(rows, ALL_ROWS)).toBe(rows);
});

it('keeps the heading of an iteration as long as a row under it is shown', () => {
  const shown = filterRows(rowsOf(completedLog()), { ...ALL_ROWS, kinds: ['tools'] });
  expect(new Set(shown.map((row) => row.kind))).toEqual(new Set(['iteration', 'tool']));
  for (const [index, row] of shown.entries()) {
    if (row.kind === 'iteration') expect(shown[index + 1]?.iteration).toBe(row.iteration);
  }
});

it('shows only prompts and answers', () => {
  const shown = filterRows(rowsOf(completedLog()), { ...ALL_ROWS, kinds: ['talk'] });
  expect(shown[0]?.kind).toBe('created');
  expect(shown.at(-1)?.kind).toBe('end');
  expect(shown.some((row) => row.kind === 'tool' || row.kind === 'preparation')).toBe(false);
});

it('shows only what failed, and the calls of one tool', () => {
  const rows = rowsOf(endedLog('error'));
  const failed = filterRows(rows, { ...ALL_ROWS, failed: true }).filter((row) => row.kind !== 'iteration');
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.every((row) => troubleOf(row) !== undefined)).toBe(true);
  const [tool = ''] = toolNames(rows);
  const calls = filterRows(rows, { ...ALL_ROWS, tool }).filter((row) => row.kind !== 'iteration');
  expect(calls.every((row) => row.kind === 'tool' && row.name === tool)).toBe(true);
});

it('recognizes rows that were repaired', () => {
  expect(rowsOf(repairedLog()).some(isRepaired)).toBe(true);
  expect(rowsOf(completedLog()).some(isRepaired)).toBe(false);
});

it('reads back its URL parameters, and reports unknown ones', () => {
  const filter = { kinds: ['talk', 'tools'], failed: true, tool: 'read_file' } as const;
  const query = writeRowFilter(new URLSearchParams('seq=12'), filter);
  expect(query.get('seq')).toBe('12');
  expect(readRowFilter(query)).toEqual({ filter, problems: [] });
  expect(writeRowFilter(query, ALL_ROWS).toString()).toBe('seq=12');
  expect(readRowFilter(new URLSearchParams('rows=talk,walk&failed=yes'))).toEqual({
    filter: { kinds: ['talk'], failed: false, tool: undefined },
    problems: [
      'rows contains "walk"; it must be one of talk, model, tools, harness.',
      'failed is "yes"; it must be 1.',
    ],
  });
});
