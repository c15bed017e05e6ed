import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { summarizeRun } from '../api/summarize-run.ts';
import { changeOfCall, fileChanges, wholeText } from '../events/file-changes.ts';
import { foldAll } from '../events/fold-run.ts';
import { emptyTimeline, foldTimeline } from '../events/fold-timeline.ts';
import { emptyRunState } from '../events/run-state.ts';
import { viewEvent } from '../http/view-event.ts';
import { inScope } from '../sharing/redaction/scope.ts';
import { calls, type PlayedRun, play, says } from '../testing/loop-harness.ts';
import { valueAt } from '../util/value-at.ts';
import { FileUndo, type FileUndoOptions } from './file-undo.ts';

const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });
const TASK = { task: 'Write', max_iterations: 10 };
const wrote = calls(write('old.txt', 'first'), write('./old.txt', 'second'), write('src/new.txt', 'new'));
const FILES = { 'old.txt': 'before', 'raw.bin': '\u0000\u0001' };

function undoOf(
  run: PlayedRun,
  more: Partial<FileUndoOptions['stored']> = {},
  others: string[] = [],
): FileUndo {
  const summary = summarizeRun(foldAll(emptyRunState('run'), run.log.events));
  return new FileUndo({
    dataDir: join(dirname(run.workspace), 'data'),
    stored: {
      get: async () => ({ run: summary, config: run.config }),
      async *log() {
        yield [...run.log.events];
      },
      ...more,
    },
    store: { unfinished: async () => others.map((id) => ({ ...summary, id, phase: 'calling' })) },
  });
}

it('logs the previous content of a file with the intent of the call that replaces it, once per run', async () => {
  await using run = await play(TASK, [wrote, says('done')], { files: FILES });
  expect(run.of('tool-call.started').map(({ file }) => file)).toEqual([
    { path: 'old.txt', before: { kind: 'text', text: 'before' } },
    { path: 'old.txt', before: { kind: 'unchanged' } },
    { path: 'src/new.txt', before: { kind: 'absent' } },
  ]);
  const [started] = run.of('tool-call.started');
  expect(started && inScope(started, 'everything')).toHaveProperty('file');
  for (const scope of ['without_results', 'summary'] as const)
    expect(started && inScope(started, scope)).not.toHaveProperty('file');
});

it('reverts all files to their content before the run, and reports the second time that they already are', async () => {
  await using run = await play(TASK, [wrote, calls(write('raw.bin', 'text')), says('done')], {
    files: FILES,
  });
  const undo = undoOf(run);
  expect((await undo.list('run')).files).toEqual([
    { path: 'old.txt', calls: 2, state: 'as_left', kept: true, revertible: true },
    { path: 'src/new.txt', calls: 1, state: 'as_left', kept: true, revertible: true },
    { path: 'raw.bin', calls: 1, state: 'as_left', kept: true, revertible: true },
  ]);
  const { reverted, left, files } = await undo.revert('run', {});
  expect({ reverted, left }).toEqual({ reverted: ['old.txt', 'src/new.txt', 'raw.bin'], left: [] });
  expect(files.map(({ state, revertible }) => [state, revertible])).toEqual(
    files.map(() => ['as_before', false]),
  );
  expect(await readFile(join(run.workspace, 'old.txt'), 'utf8')).toBe('before');
  expect(await readFile(join(run.workspace, 'raw.bin'))).toEqual(Buffer.from([0, 1]));
  expect(await readdir(join(run.workspace, 'src'))).toEqual([]);
  const again = await undo.revert('run', {});
  expect(again.reverted).toEqual([]);
  expect(again.left).toEqual(
    reverted.map((path) => ({ path, message: 'The file is already as it was before the run.' })),
  );
  expect(await readFile(join(run.workspace, 'old.txt'), 'utf8')).toBe('before');
});

it('reverts nothing in a run that changed no file, even if it has no folder', async () => {
  await using run = await play(TASK, [says('done')]);
  const nothing = { workspace: '', files: [] };
  const summary = summarizeRun(foldAll(emptyRunState('run'), run.log.events));
  const undo = undoOf(run, { get: async () => ({ run: summary, config: { ...run.config, workspace: '' } }) });
  expect(await undo.list('run')).toEqual(nothing);
  expect(await undo.revert('run', {})).toEqual({ ...nothing, reverted: [], left: [] });
});

it('reverts one file and keeps its mode', async () => {
  await using run = await play(TASK, [wrote, says('done')], { files: FILES });
  await chmod(join(run.workspace, 'old.txt'), 0o755);
  await undoOf(run).revert('run', { paths: ['old.txt'] });
  expect(await readFile(join(run.workspace, 'old.txt'), 'utf8')).toBe('before');
  expect((await stat(join(run.workspace, 'old.txt'))).mode & 0o777).toBe(0o755);
  expect(await readFile(join(run.workspace, 'src/new.txt'), 'utf8')).toBe('new');
});

it('does not touch a file that was changed or removed since the run, and says so', async () => {
  await using run = await play(TASK, [wrote, says('done')], { files: FILES });
  await writeFile(join(run.workspace, 'old.txt'), 'edited by hand');
  await rm(join(run.workspace, 'src/new.txt'));
  await writeFile(join(run.workspace, 'src/other.txt'), 'other');
  const { reverted, left } = await undoOf(run).revert('run', {});
  expect(reverted).toEqual([]);
  expect(left).toEqual([
    { path: 'old.txt', message: 'The file has changed since the run.' },
    // It was created by the run.
    { path: 'src/new.txt', message: 'The file is already as it was before the run.' },
  ]);
  expect(await readFile(join(run.workspace, 'old.txt'), 'utf8')).toBe('edited by hand');
});

it('refuses while the run or another one works in the folder, for imported runs and for unknown files', async () => {
  await using run = await play(TASK, [wrote, says('done')], { files: FILES });
  const summary = summarizeRun(foldAll(emptyRunState('run'), run.log.events));
  const got = (more: object) => ({ get: async () => ({ run: { ...summary, ...more }, config: run.config }) });
  const code = (value: string) => expect.objectContaining({ code: value });
  await expect(undoOf(run, got({ phase: 'calling' })).revert('run', {})).rejects.toEqual(
    code('run_not_ended'),
  );
  await expect(undoOf(run, got({ imported_at: 1 })).revert('run', {})).rejects.toEqual(
    code('imported_workspace'),
  );
  await expect(undoOf(run, {}, ['other']).revert('run', {})).rejects.toEqual(code('folder_in_use'));
  await expect(undoOf(run).revert('run', { paths: ['other.txt'] })).rejects.toEqual(code('file_not_changed'));
  expect(await undoOf(run, {}, ['other']).list('run')).toMatchObject({
    refused: {
      code: 'folder_in_use',
      run_id: 'other',
      hint: expect.stringContaining('reverted once it has ended'),
    },
    files: [{ revertible: false }, { revertible: false }],
  });
  expect(await readFile(join(run.workspace, 'old.txt'), 'utf8')).toBe('second');
});

it('leaves the files alone while a run works in a folder around or inside its folder, not beside it', async () => {
  await using run = await play(TASK, [wrote, says('done')], { files: FILES });
  const summary = summarizeRun(foldAll(emptyRunState('run'), run.log.events));
  const workingIn = (workspace: string) => {
    const get: FileUndoOptions['stored']['get'] = async (id) => ({
      run: summary,
      config: id === 'other' ? { ...run.config, workspace } : run.config,
    });
    return undoOf(run, { get }, ['other']).list('run');
  };
  for (const folder of [dirname(run.workspace), join(run.workspace, 'src')]) {
    expect(await workingIn(folder)).toMatchObject({ refused: { code: 'folder_in_use' } });
  }
  for (const folder of ['', `${run.workspace}-2`])
    expect(await workingIn(folder)).not.toHaveProperty('refused');
});

describe('edits', () => {
  const edit = (path: string, ...edits: [old_text: string, new_text: string][]) => ({
    name: 'edit_file',
    arguments: { path, edits: edits.map(([old_text, new_text]) => ({ old_text, new_text })) },
  });
  const LINES = 'one\ntwo\nthree\n';
  const edited = [
    calls(edit('a.txt', ['one', '1'], ['two', '2']), edit('./a.txt', ['four', '4'])),
    calls(edit('a.txt', ['three', '3']), write('b.txt', 'new'), edit('b.txt', ['new', 'newer'])),
    says('done'),
  ];
  const rowsOf = (run: PlayedRun) => foldTimeline(emptyTimeline, run.log.events).rows;

  it('are changes with what the file held and holds, though the log has its content once', async () => {
    await using run = await play(TASK, edited, { files: { 'a.txt': LINES } });
    expect(run.of('tool-call.started').map(({ file }) => file?.before.kind)).toEqual([
      ...['text', 'unchanged', 'unchanged', 'absent', 'unchanged'],
    ]);
    const [first, second] = fileChanges(rowsOf(run));
    expect(first).toMatchObject({ path: 'a.txt', before: { text: LINES }, after: { text: '1\n2\n3\n' } });
    // The failed call did not write it.
    expect(first?.rows).toHaveLength(2);
    expect(second).toMatchObject({ before: { kind: 'absent' }, after: { text: 'newer' } });
    expect(run.log.state.filesWritten).toEqual(['a.txt', 'b.txt']);
  });

  it('are shown one by one, each beside the result of the previous one', async () => {
    await using run = await play(TASK, edited, { files: { 'a.txt': LINES } });
    const rows = rowsOf(run);
    const changes = rows.flatMap((row) => (row.kind === 'tool' ? [changeOfCall(rows, row)] : []));
    expect(changes.map((change) => [change?.before, change?.after?.text])).toMatchObject([
      [{ text: LINES }, '1\n2\nthree\n'],
      // Its edit does not fit.
      [{ text: '1\n2\nthree\n' }, undefined],
      [{ text: '1\n2\nthree\n' }, '1\n2\n3\n'],
      [{ kind: 'absent' }, 'new'],
      [{ text: 'new' }, 'newer'],
    ]);
  });

  it('are reverted like whole writes', async () => {
    await using run = await play(TASK, edited, { files: { 'a.txt': LINES } });
    const undo = undoOf(run);
    expect((await undo.list('run')).files.map(({ state }) => state)).toEqual(['as_left', 'as_left']);
    expect((await undo.revert('run', {})).reverted).toEqual(['a.txt', 'b.txt']);
    expect(await readFile(join(run.workspace, 'a.txt'), 'utf8')).toBe(LINES);
    expect(await readdir(run.workspace)).toEqual(['a.txt']);
  });

  it('are compared whole where the page has texts only in part', async () => {
    const long = `${'line\n'.repeat(20_000)}end\n`;
    const run = await play(
      { ...TASK, window_tokens: 1_000_000, num_predict: [200_000, 200_000] },
      [calls(edit('a.txt', ['end', 'END'.repeat(40_000)], ['line\nEND', 'x'])), says('done')],
      {
        files: { 'a.txt': long },
      },
    );
    await using _ = run;
    const seen = run.log.events.map(viewEvent);
    const [change] = fileChanges(foldTimeline(emptyTimeline, seen).rows);
    const value = async (seq: number, path: string) => valueAt(run.log.events[seq - 1], path);
    expect(change?.after.cut).toBeDefined();
    const whole = change && (await wholeText(change.after, value));
    expect(whole).toBe(await readFile(join(run.workspace, 'a.txt'), 'utf8'));
    expect(change?.before.kind === 'text' && (await wholeText(change.before, value))).toBe(long);
  });

  it('count as new information for the stall guard', async () => {
    const step = (from: string, to: string) => calls(edit('a.txt', [from, to]));
    const steps = Array.from({ length: 6 }, (_, index) =>
      index % 2 === 0 ? step('one', 'two') : step('two', 'one'),
    );
    await using run = await play({ ...TASK, stall_threshold: 2 }, [...steps, says('done')], {
      files: { 'a.txt': 'one' },
    });
    expect(run.end.result.termination_reason).toBe('final_answer');
    expect(run.of('tool-call.ended').every((event) => event.new_information)).toBe(true);
  });
});
