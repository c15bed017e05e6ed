import { describe, expect, it } from 'vitest';
import type { ComparedRun } from '../../api/comparison.ts';
import { contentsToCompare } from './compared-contents.ts';
import { comparedFiles, versionWords } from './compared-files.ts';

type WrittenFile = ComparedRun['files'][number];

const file = (
  path: string,
  digest: string,
  before: WrittenFile['before'] = { kind: 'absent' },
): WrittenFile => ({
  path,
  digest,
  before,
  calls: 1,
  after: { seq: 9, path: 'calls.0.arguments.content', chars: 3 },
});
const side = (letter: string, version: WrittenFile | undefined) => ({
  run: { id: `run ${letter}` },
  letter,
  version,
});

it('lists each changed file once, with the version of every run', () => {
  const [one, other] = [file('b', 'x'), file('a', 'y')];
  expect(comparedFiles([{ files: [one] }, { files: [one, other] }, { files: [] }])).toEqual([
    { path: 'a', versions: [undefined, other, undefined] },
    { path: 'b', versions: [one, one, undefined] },
  ]);
});

it('says what a run did to a file, and whether it holds what the baseline left', () => {
  expect(versionWords(file('a', 'x'), undefined)).toEqual({ did: 'not changed', isSame: false });
  expect(versionWords(undefined, undefined)).toEqual({ did: 'not changed', isSame: true });
  expect(versionWords(file('a', 'x'), file('a', 'x'))).toEqual({ did: 'new', isSame: true });
  expect(versionWords(file('a', 'x'), file('a', 'y', { kind: 'unknown' }))).toEqual({
    did: 'edited',
    isSame: false,
  });
});

describe('the contents that are compared', () => {
  const left = { seq: 9, path: 'calls.0.arguments.content', chars: 3 };

  it('are those that both runs left', () => {
    expect(contentsToCompare(side('A', file('a', 'x')), side('C', file('a', 'y')))).toMatchObject({
      note: 'From what A left to what C left.',
      texts: { before: { runId: 'run A', ...left }, after: { runId: 'run C', ...left } },
    });
  });

  it('are not needed where both are the same, or neither run changed the file', () => {
    expect(contentsToCompare(side('A', file('a', 'x')), side('B', file('a', 'x')))).toEqual({
      note: 'A and B left the same content.',
    });
    expect(contentsToCompare(side('A', undefined), side('B', undefined)).texts).toBeUndefined();
  });

  it('are those before and after the change of the only run that made one', () => {
    const before = { kind: 'text' as const, seq: 4, path: 'file.before.text', chars: 2 };
    expect(contentsToCompare(side('A', undefined), side('B', file('a', 'x', before)))).toEqual({
      note: 'A did not change this file. This is what B changed.',
      texts: {
        before: { runId: 'run B', seq: 4, path: 'file.before.text', chars: 2 },
        after: { runId: 'run B', ...left },
        isBeforeUnknown: false,
      },
    });
    expect(contentsToCompare(side('A', file('a', 'x')), side('B', undefined)).texts?.before).toBeUndefined();
    expect(
      contentsToCompare(side('A', file('a', 'x', { kind: 'binary', bytes: 3 })), side('B', undefined)),
    ).toMatchObject({
      note: expect.stringContaining('The log does not have'),
      texts: { isBeforeUnknown: true },
    });
  });
});
