import { expect, it } from 'vitest';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { SampleLog } from '../../testing/sample-logs.ts';
import { APPROVAL_KEYS, APPROVE_ALL_KEY, coveredWords, scopeWords, standingWords } from './approval-words.ts';

const write = { name: 'write_file', arguments: { path: 'a.txt', content: '' } };

function rowAfter(decided: object) {
  const log = new SampleLog()
    .prepare()
    .iteration()
    .callStarts()
    .reply({ calls: [write] });
  const about = {
    type: 'approval.decided',
    call_id: 'c1',
    tool: 'write_file',
    decision: 'approved',
  } as const;
  log.push({ ...about, by: 'operator', ...decided });
  const row = foldTimeline(emptyTimeline, log.events).rows.at(-1);
  if (row?.kind !== 'tool') throw new Error('no call');
  return row;
}

it('says what an approval covers, and that limits on commands still hold', () => {
  expect(scopeWords('run', 'write_file')).toContain('any call of write_file until the run ends');
  expect(scopeWords('tool_and_folder', 'run_command')).toMatch(
    /any command .* until you revoke it\. Blocked patterns/,
  );
  expect(coveredWords(rowAfter({ scope: 'tool_and_folder' }))).toBe(' for this folder');
  expect(coveredWords(rowAfter({}))).toBe('');
});

it('names the earlier approval that covers a call', () => {
  const by = 'standing-approval' as const;
  expect(standingWords(rowAfter({ by, standing: { scope: 'run', seq: 12 } }))).toEqual({
    text: 'allowed for this run at',
    seq: 12,
  });
  const folder = { scope: 'tool_and_folder', seq: 7, run_id: 'other' };
  expect(standingWords(rowAfter({ by, standing: folder }))).toMatchObject({ seq: 7, runId: 'other' });
  expect(standingWords(rowAfter({}))).toBeUndefined();
});

it('has a separate key for each choice', () => {
  const keys = [...Object.values(APPROVAL_KEYS), APPROVE_ALL_KEY];
  expect(new Set(keys).size).toBe(keys.length);
});
