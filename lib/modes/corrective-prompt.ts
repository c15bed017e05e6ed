import type { Check } from '../events/check.ts';
import { isAnswerCheck, isBehaviorCheck } from '../events/check-kinds.ts';
import { callsText, quotedTexts } from '../events/check-text.ts';
import type { AttemptOutcome } from '../events/run-state.ts';
import type { CheckResult } from '../events/verification.ts';
import { assertNever } from '../util/assert-never.ts';
import { plural } from '../util/numbers.ts';
import { shortText } from '../util/short-text.ts';

const MAX_OUTPUT_CHARS = 2000;
const MAX_ANSWER_CHARS = 4000;

/** What earlier attempts left in the workspace. */
interface Work {
  filesWritten: readonly string[];
  otherTools: boolean;
}

/**
 * The prompt of a further attempt: the task and the operator's later messages, the failed checks with their output, the
 * earlier answer if a check failed it, and the existing work (V6). Pure.
 *
 * @param added messages of the operator to earlier attempts, whose conversations the model no longer sees
 * @param work what the file tools wrote, and whether the model also had tools whose changes are not known, such as commands;
 *   missing in a quick prompt, which has no files
 */
export function buildCorrectivePrompt({
  task,
  added,
  last,
  work,
}: {
  task: string;
  added: readonly string[];
  last: AttemptOutcome;
  work?: Work;
}): string {
  const failed = last.checks.filter(({ passed }) => !passed);
  const answered = last.reason === 'final_answer' && failed.some(({ check }) => isAnswerCheck(check));
  // Calls of the earlier attempt do not count for this one.
  const again = last.checks.filter(({ check, passed }) => passed && isBehaviorCheck(check));
  return [
    task,
    ...(added.length > 0
      ? [
          `The user added during an earlier attempt:\n${added.map((text) => `- ${indented(text)}`).join('\n')}`,
        ]
      : []),
    'An earlier attempt at this task did not pass its checks. What failed:',
    failed.map((result) => `- ${describeFailure(result)}`).join('\n'),
    ...(answered ? [`The earlier answer was:\n${shortText(last.output, MAX_ANSWER_CHARS)}`] : []),
    ...(again.length > 0
      ? [
          `These checks passed, but apply to this attempt again:\n${again.map(({ check }) => `- ${describeDemand(check)}`).join('\n')}`,
        ]
      : []),
    ...(work ? describeWork(work) : ['Answer the task again, in full.']),
  ].join('\n\n');
}

function describeWork({ filesWritten, otherTools }: Work): string[] {
  const others = 'Changes made by commands and other tools still exist';
  if (filesWritten.length === 0) {
    return [
      otherTools
        ? `No file tool has written a file so far. ${others}. Look at them, and do what is missing.`
        : 'No file has been written so far. Do what is missing.',
    ];
  }
  const files = `These files were written earlier and still exist: ${filesWritten.join(', ')}.`;
  return [otherTools ? `${files} ${others}, too.` : files, 'Correct the existing work. Do not start over.'];
}

function describeFailure({ check, output }: CheckResult): string {
  const saw = output.trim() === '' ? '' : `\n  ${indented(shortText(output.trim(), MAX_OUTPUT_CHARS))}`;
  return `${check.type === 'command' ? `The command \`${check.command}\` failed.` : describeDemand(check)}${saw}`;
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

/** What a check demands, as told to the model. */
function describeDemand(check: Check): string {
  switch (check.type) {
    case 'command':
      return `The command \`${check.command}\` should succeed.`;
    case 'file_exists':
      return `The file ${check.path} should exist.`;
    case 'file_contains':
      return `The file ${check.path} should contain: ${shortText(check.text, 500)}`;
    case 'answer_contains':
      return typeof check.text === 'string'
        ? `The answer should contain: ${shortText(check.text, 500)}`
        : `The answer should contain one of these: ${shortText(quotedTexts(check.text), 500)}`;
    case 'answer_matches':
      return `The answer should match this regular expression: ${check.pattern}`;
    case 'answer_equals':
      return typeof check.value === 'number'
        ? `The last number in the answer should be ${check.value}.`
        : `The answer should be: ${shortText(check.value, 500)}`;
    case 'answer_schema':
      return `The answer should be JSON that fits this schema: ${shortText(JSON.stringify(check.schema), 4000)}`;
    case 'tool_called':
      return `The tool ${check.tool} should be called ${callsText(check)}.`;
    case 'tool_not_called':
      return `The tool ${check.tool} should not be called.`;
    case 'iterations_at_most':
      return `The attempt should take at most ${plural(check.iterations, 'iteration')}.`;
    case 'rubric': // an opinion never fails a check, unless a log claims otherwise
      return `The answer should meet these criteria: ${shortText(check.criteria, 2000)}`;
    default:
      return assertNever(check);
  }
}
