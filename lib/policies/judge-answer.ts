import type { CheckOf } from '../events/check.ts';
import type { AnswerCheck } from '../events/check-kinds.ts';
import type { TerminationReason } from '../events/termination.ts';
import type { CheckResult } from '../events/verification.ts';
import { assertNever } from '../util/assert-never.ts';
import { formatCount, plural } from '../util/numbers.ts';
import { regularExpression } from '../util/regular-expression.ts';
import { shortText } from '../util/short-text.ts';
import { jsonOfAnswer, lastNumber, normalizedText } from './judged-text.ts';
import { schemaProblems } from './schema-problems.ts';

/** The verdict of a check, and why. */
export type Judgment = Pick<CheckResult, 'passed' | 'output'>;

/** Longer answers fail the checks that do more than search for a text. */
const MAX_JUDGED_CHARS = 200_000;
const MAX_QUOTED_CHARS = 500;

/**
 * Judges an answer by a check (V11). The output says why it failed, for the model and for the person. Pure; throws only
 * for schemas and answers nested too deeply for the validator.
 *
 * Anyone may have written the patterns and schemas, and some take years on a short answer, so the engine's
 * `judgeInThread` runs them in a thread with a time limit.
 */
export function judgeAnswer(check: AnswerCheck, answer: string): Judgment {
  if (check.type === 'answer_contains') return judgeContains(check, answer);
  if (answer.length > MAX_JUDGED_CHARS) {
    return failed(
      `The answer has ${formatCount(answer.length)} characters; this check reads at most ${formatCount(MAX_JUDGED_CHARS)}.`,
    );
  }
  switch (check.type) {
    case 'answer_matches':
      return judgePattern(check, answer);
    case 'answer_equals':
      return judgeValue(check, answer);
    case 'answer_schema':
      return judgeSchema(check, answer);
    default:
      return assertNever(check);
  }
}

/** The judgment of an attempt that ended without an answer. */
export function noAnswer(reason: TerminationReason): Judgment {
  return failed(`There is no answer: the attempt ended with ${reason}.`);
}

export function failed(output: string): Judgment {
  return { passed: false, output };
}

function judgeContains({ text, case_sensitive }: CheckOf<'answer_contains'>, answer: string): Judgment {
  const texts = [text].flat();
  const folded = (one: string) => (case_sensitive ? one : one.toLowerCase());
  const found = texts.find((each) => folded(answer).includes(folded(each)));
  if (found !== undefined) {
    return {
      passed: true,
      output: texts.length === 1 ? 'The answer contains it.' : `The answer contains ${quoted(found)}.`,
    };
  }
  const lower = answer.toLowerCase();
  const otherCase = case_sensitive && texts.some((each) => lower.includes(each.toLowerCase()));
  const what = texts.length === 1 ? 'the text' : 'any of the texts';
  return failed(
    otherCase
      ? `The answer contains ${texts.length === 1 ? 'the text' : 'one of the texts'} only in different upper and lower case.`
      : `The answer does not contain ${what}. It is: ${quoted(answer)}`,
  );
}

function judgePattern({ pattern, case_sensitive }: CheckOf<'answer_matches'>, answer: string): Judgment {
  const expression = regularExpression(pattern, case_sensitive ? 'u' : 'iu');
  if (!expression) return failed('The pattern is not a valid regular expression.');
  const match = expression.exec(answer.trim());
  return match
    ? { passed: true, output: `It matches ${quoted(match[0])}.` }
    : failed(`The answer does not match the pattern. It is: ${quoted(answer)}`);
}

function judgeValue({ value, tolerance = 0 }: CheckOf<'answer_equals'>, answer: string): Judgment {
  if (typeof value === 'string') {
    return normalizedText(answer) === normalizedText(value)
      ? { passed: true, output: 'The answer equals it.' }
      : failed(`The answer is ${quoted(answer)}, not ${quoted(value)}.`);
  }
  const found = lastNumber(answer);
  const wanted = tolerance === 0 ? String(value) : `${value} ± ${tolerance}`;
  if (found === undefined) return failed(`The answer has no number. Expected: ${wanted}.`);
  return isClose(found, value, tolerance)
    ? { passed: true, output: `The last number in the answer is ${found}.` }
    : failed(`The last number in the answer is ${found}, not ${wanted}.`);
}

/** Whether two numbers differ by no more than the tolerance and the rounding of binary fractions. */
function isClose(one: number, other: number, tolerance: number): boolean {
  const rounding = 4 * Number.EPSILON * Math.max(Math.abs(one), Math.abs(other));
  return Math.abs(one - other) <= tolerance + rounding;
}

function judgeSchema({ schema }: CheckOf<'answer_schema'>, answer: string): Judgment {
  const json = jsonOfAnswer(answer);
  if ('problem' in json) return failed(`The answer is not JSON: ${shortText(json.problem, 200)}`);
  const { problems, more } = schemaProblems(json.value, schema);
  if (problems.length === 0) return { passed: true, output: 'The answer fits the schema.' };
  return failed(
    [
      'The JSON of the answer does not fit the schema:',
      ...problems.map((problem) => `- ${problem}`),
      ...(more > 0 ? [`- and ${plural(more, 'more problem')}`] : []),
    ].join('\n'),
  );
}

function quoted(text: string): string {
  return `"${shortText(text.trim(), MAX_QUOTED_CHARS)}"`;
}
