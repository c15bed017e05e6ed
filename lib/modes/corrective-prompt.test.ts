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

it('contains the task, the failures and the files written so far [V6]', () => {
  expect(ofTask(['a.md', 'b.md'])).toBe(
    [
      'Summarise the notes.',
      'An earlier attempt at this task did not pass its checks. What failed:',
      '- The file summary.md should exist.\n  It does not exist.',
      'These files were written earlier and still exist: a.md, b.md.',
      'Correct the existing work. Do not start over.',
    ].join('\n\n'),
  );
});

it('words a limit of one iteration in the singular', () => {
  const prompt = buildCorrectivePrompt({
    task: 'Answer.',
    added: [],
    last: {
      attempt: 1,
      reason: 'final_answer',
      output: 'Done.',
      checks: [
        {
          check: { type: 'iterations_at_most', iterations: 1 },
          ...{ passed: false, output: 'The attempt took 2 iterations.', duration_ms: 1 },
        },
      ],
    },
  });
  expect(prompt).toContain('The attempt should take at most 1 iteration.');
});

it('contains later messages about the task', () => {
  const [task, said] = ofTask([], ['In German.\nAt most ten lines.', 'Leave out the names.']).split('\n\n');
  expect(task).toBe('Summarise the notes.');
  expect(said).toBe(
    'The user added during an earlier attempt:\n- In German.\n  At most ten lines.\n- Leave out the names.',
  );
});

it('mentions no existing work if no file was written', () => {
  expect(ofTask([]).split('\n\n').at(-1)).toBe('No file has been written so far. Do what is missing.');
});

it('does not deny that commands changed files [V6]', () => {
  expect(ofTask([], [], true).split('\n\n').at(-1)).toBe(
    'No file tool has written a file so far. Changes made by commands and other tools still exist. Look at them, and do what is missing.',
  );
  expect(ofTask(['a.md'], [], true)).toContain(
    'still exist: a.md. Changes made by commands and other tools still exist, too.',
  );
});

it('asks a quick prompt for the whole answer again', () => {
  expect(ofTask().split('\n\n').at(-1)).toBe('Answer the task again, in full.');
});
