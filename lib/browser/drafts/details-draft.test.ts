import { expect, it } from 'vitest';
import { importedSummary } from '../../api/summarize-run.ts';
import { foldAll } from '../../events/fold-run.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { completedLog } from '../../testing/sample-logs.ts';
import { detailsChange, detailsOf } from './details-draft.ts';

const run = importedSummary(foldAll(emptyRunState('sample'), completedLog().events), 1);
const opened = detailsOf({
  ...run,
  annotations: { tags: ['a', 'b'], note: 'Seen.', score: 3, pinned: true },
});

it('changes only what a person changed, so that notes of another tab stay', () => {
  expect(detailsChange(opened, { ...opened, note: 'Seen twice.' })).toEqual({ note: 'Seen twice.' });
  expect(detailsChange(opened, { ...opened, archived: true, pinned: false })).toEqual({
    archived: true,
    pinned: false,
  });
});

it('removes a title, a note and a score that were emptied', () => {
  expect(detailsChange(opened, { ...opened, title: ' ', note: '', score: undefined })).toEqual({
    title: null,
    note: '',
    score: null,
  });
});

it('changes tags only if the selection differs, in any order', () => {
  expect(detailsChange(opened, { ...opened, tags: ['b', 'a'] })).toBeUndefined();
  expect(detailsChange(opened, { ...opened, tags: ['b', 'c'] })).toEqual({ tags: ['b', 'c'] });
});
