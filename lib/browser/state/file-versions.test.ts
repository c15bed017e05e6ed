import { expect, it } from 'vitest';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { SampleLog } from '../../testing/sample-logs.ts';
import type { JsonObject } from '../../util/json.ts';
import { knownChange } from './file-versions.ts';

type Call = Parameters<SampleLog['tools']>[0][number];
const write = (path: string, content: string, created = false): Call => ({
  name: 'write_file',
  arguments: { path, content },
  result: { output: { path, created, bytes_written: content.length, lines: 1 } },
});
const read = (path: string, content: string, more: JsonObject = {}): Call => ({
  name: 'read_file',
  arguments: { path },
  result: { output: { path, start_line: 1, end_line: 2, total_lines: 2, ...more, content } },
});
const command: Call = {
  name: 'run_command',
  arguments: { command: 'ls' },
  result: { output: { stdout: '' } },
};

/** The change that the last of the calls makes. */
function changeOf(...calls: Call[]) {
  const log = new SampleLog().prepare();
  for (const call of calls)
    log
      .iteration()
      .callStarts()
      .reply({ calls: [call] })
      .tools([call]);
  const { rows } = foldTimeline(emptyTimeline, log.events);
  const row = rows.findLast((each) => each.kind === 'tool');
  if (!row) throw new Error('The log has no tool call.');
  return knownChange(rows, row);
}

it('compares a write with the content that an earlier call read or wrote in full', () => {
  expect(changeOf(read('a.txt', 'old\n'), write('./a.txt', 'new\n'))).toMatchObject({
    path: './a.txt',
    before: 'old\n',
    after: 'new\n',
    beforeSeq: expect.any(Number),
    commandSince: false,
  });
  expect(changeOf(write('a.txt', 'one'), write('b.txt', 'x'), write('a.txt', 'two'))?.before).toBe('one');
});

it('shows no change if the file is new or was only read in part', () => {
  expect(changeOf(read('a.txt', 'old'), write('a.txt', 'new', true))).toBeUndefined();
  expect(changeOf(read('a.txt', 'old', { start_line: 5 }), write('a.txt', 'new'))).toBeUndefined();
  expect(changeOf(read('a.txt', 'old', { total_lines: 9 }), write('a.txt', 'new'))).toBeUndefined();
  expect(changeOf(write('a.txt', 'new'))).toBeUndefined();
});

it('says whether a command ran since, which may have changed the file', () => {
  expect(changeOf(read('a.txt', 'old'), command, write('a.txt', 'new'))?.commandSince).toBe(true);
});

it('looks back no further than an unknown change', () => {
  const edit: Call = {
    name: 'patch_file',
    arguments: { path: 'a.txt' },
    result: { output: { path: 'a.txt' } },
  };
  expect(changeOf(read('a.txt', 'old'), edit, write('a.txt', 'new'))).toBeUndefined();
});

it('takes the replaced and the new text of an edit from its arguments', () => {
  const edit: Call = {
    name: 'edit_file',
    arguments: {
      path: 'a.txt',
      edits: [
        { old_text: 'one', new_text: 'two' },
        { old_text: 'three', new_text: '' },
      ],
    },
    result: { output: { path: 'a.txt' } },
  };
  expect(changeOf(edit)).toEqual({
    path: 'a.txt',
    before: 'one\nthree',
    after: 'two\n',
    commandSince: false,
  });
});
