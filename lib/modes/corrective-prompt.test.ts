import { expect, it } from 'vitest';
import { buildCorrectivePrompt } from './corrective-prompt.ts';

const ofTask = (filesWritten?: readonly string[], added: readonly string[] = [], otherTools = false) =>
  buildCorrectivePrompt({
    task: 'Summarise the notes.',
    added,
    last: {
      attempt: 1,
      reason: 'final_answer',
      output: 'The summary is written.',
      checks: [
        {
          check: { type: 'file_exists', path: 'summary.md' },
          ...{ passed: false, output: 'It does not exist.', duration_ms: 1 },
        },
        { check: { type: 'command', command: 'true' }, passed: true, output: '', duration_ms: 1 },
      ],
    },
    ...(filesWritten && { work: { filesWritten, otherTools } }),
  });

it('has the task, what failed, and the files that are there [V6]', () => {
  expect(ofTask(['a.md', 'b.md'])).toBe(
    [
      'Summarise the notes.',
      'An earlier attempt at this task was checked and is not right yet. What failed:',
      '- The file summary.md should exist.\n  It does not exist.',
      'These files were written so far, and are still there: a.md, b.md.',
      'Correct the work that is there. Do not start from nothing.',
    ].join('\n\n'),
  );
});

it('has what was said about the task since', () => {
  const [task, said] = ofTask([], ['In German.\nAt most ten lines.', 'Leave out the names.']).split('\n\n');
  expect(task).toBe('Summarise the notes.');
  expect(said).toBe(
    'The user added during an earlier attempt:\n- In German.\n  At most ten lines.\n- Leave out the names.',
  );
});

it('speaks of no work that is there if no file was written', () => {
  expect(ofTask([]).split('\n\n').at(-1)).toBe('No file has been written so far. Do what is missing.');
});

it('does not deny work of commands, whose changes are not known [V6]', () => {
  expect(ofTask([], [], true).split('\n\n').at(-1)).toBe(
    'No file has been written with a file tool so far. What commands and other tools changed is still there. Look at it, and do what is missing.',
  );
  expect(ofTask(['a.md'], [], true)).toContain(
    'still there: a.md. What commands and other tools changed is still there, too.',
  );
});

it('asks a single answer for all of it again', () => {
  expect(ofTask().split('\n\n').at(-1)).toBe('Answer the task again, in full.');
});
