import type { AttemptOutcome } from '../events/run-state.ts';
import type { CheckResult } from '../events/verification.ts';
import { assertNever } from '../util/assert-never.ts';
import { shortText } from '../util/short-text.ts';

const MAX_OUTPUT_CHARS = 2000;

/**
 * The prompt of a further attempt: the task, the failed checks with their output, and the files already written (V6).
 * Pure.
 */
export function buildCorrectivePrompt({
  task,
  last,
  filesWritten,
}: {
  task: string;
  last: AttemptOutcome;
  filesWritten: readonly string[];
}): string {
  const failed = last.checks.filter((check) => !check.passed);
  const work =
    filesWritten.length === 0
      ? 'No file has been written so far.'
      : `These files were written so far, and are still there: ${filesWritten.join(', ')}.`;
  return [
    task,
    'An earlier attempt at this task was checked and is not right yet. What failed:',
    failed.map((check) => `- ${describeFailure(check)}`).join('\n'),
    work,
    'Correct the work that is there. Do not start from nothing.',
  ].join('\n\n');
}

function describeFailure({ check, output }: CheckResult): string {
  const saw =
    output.trim() === '' ? '' : `\n  ${shortText(output.trim(), MAX_OUTPUT_CHARS).replaceAll('\n', '\n  ')}`;
  switch (check.type) {
    case 'command':
      return `The command \`${check.command}\` failed.${saw}`;
    case 'file_exists':
      return `The file ${check.path} should exist.${saw}`;
    case 'file_contains':
      return `The file ${check.path} should contain: ${shortText(check.text, 500)}${saw}`;
    default:
      return assertNever(check);
  }
}
