import { expect, it } from 'vitest';
import { SampleLog } from '../testing/sample-logs.ts';
import type { JsonObject } from '../util/json.ts';
import { namedAutoRunFiles } from './auto-run-files.ts';
import { foldAll } from './fold-run.ts';
import { emptyRunState } from './run-state.ts';

const wrote = (path: string, more: JsonObject = {}) => ({
  name: 'write_file',
  arguments: { path },
  result: { output: { path, auto_run_files: [path], ...more } },
});
const ran = (output: JsonObject) => ({
  name: 'run_command',
  arguments: { command: 'git init --bare x.git' },
  result: { output },
});
const autoRunFiles = (...rounds: Parameters<SampleLog['tools']>[0][]) => {
  const log = new SampleLog({ runId: 'r' }).prepare();
  for (const calls of rounds) log.round({ calls });
  return { ...foldAll(emptyRunState('r'), log.events).autoRunFiles, log };
};

it('lists auto-run files once each, with the last call that wrote them', () => {
  const { files, more, log } = autoRunFiles(
    [wrote('.envrc'), wrote('package.json')],
    [ran({ exit_code: 0, auto_run_files: ['.envrc', 'x.git'] })],
  );
  const ends = log.events.filter(({ type }) => type === 'tool-call.ended').map(({ seq }) => seq);
  expect({ files, more }).toEqual({
    files: [
      { path: '.envrc', tool: 'run_command', seq: ends[2] },
      { path: 'package.json', tool: 'write_file', seq: ends[1] },
      { path: 'x.git', tool: 'run_command', seq: ends[2] },
    ],
    more: 0,
  });
});

it('lists auto-run files of a failed command', () => {
  const log = new SampleLog({ runId: 'r' }).prepare().round({ calls: [ran({})] });
  const events = log.events.map((event) =>
    event.type === 'tool-call.ended'
      ? {
          ...event,
          result: {
            success: false as const,
            tool: 'run_command',
            output: { error: 'Exit code 1.', auto_run_files: ['hidden/x.git'] },
          },
        }
      : event,
  );
  expect(foldAll(emptyRunState('r'), events).autoRunFiles.files).toMatchObject([{ path: 'hidden/x.git' }]);
});

it('keeps a bounded number of auto-run files and counts the rest', () => {
  const paths = Array.from({ length: 700 }, (_, index) => `${index}/.envrc`);
  const all = autoRunFiles([ran({ auto_run_files: paths, auto_run_files_left_out: 30 })]);
  expect(all.files).toHaveLength(500);
  expect(all.more).toBe(230);
  const named = namedAutoRunFiles(all, 20);
  expect(named.files).toHaveLength(20);
  expect(named.more).toBe(710);
});

it('ignores invalid auto-run files in old or hostile logs', () => {
  const odd: JsonObject[] = [
    { auto_run_files: 'x' },
    { auto_run_files: [1, null, {}] },
    { auto_run_files_left_out: -5 },
  ];
  for (const output of odd) expect(autoRunFiles([ran(output)])).toMatchObject({ files: [], more: 0 });
  const listing = { name: 'list_directory', arguments: {}, result: { output: ['auto_run_files'] } };
  expect(autoRunFiles([listing])).toMatchObject({ files: [], more: 0 });
});
