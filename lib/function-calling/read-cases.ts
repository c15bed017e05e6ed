import { z } from 'zod';
import { type Category, hasAnswers } from '../api/benchmark-categories.ts';
import { describeFieldProblems, IN_WORDS } from '../util/schema-problems.ts';
import { type FunctionCase, questionLine } from './function-case.ts';
import { isList, isObject, type PythonObject, parsePythonJson } from './python-value.ts';

/** A file of the format: its name, for messages, and its text. */
export interface SuiteFile {
  readonly name: string;
  readonly text: string;
}

/** A problem in a file, with its place. */
export class CaseFileError extends Error {
  override readonly name = 'CaseFileError';
}

/**
 * Reads the cases of a category: a question file, and the file of its possible answers where the category has one.
 * Both have one JSON object per line.
 *
 * @throws {CaseFileError} with file, line and reason
 */
export function readCases(
  category: Category,
  { questions, answers }: { questions: SuiteFile; answers: SuiteFile | undefined },
): FunctionCase[] {
  const expected = answers && readAnswers(answers);
  const cases: FunctionCase[] = [];
  const seen = new Set<string>();
  for (const { number, text } of linesOf(questions)) {
    const place = `${questions.name}, line ${number}`;
    const line = questionLine.safeParse(parsed(text, place), IN_WORDS);
    if (!line.success) {
      throw new CaseFileError(`${place}: ${describeFieldProblems(line.error.issues, 'line')[0]}`);
    }
    const { id, question, function: functions } = line.data;
    if (seen.has(id)) throw new CaseFileError(`${place}: the id "${id}" is used twice.`);
    seen.add(id);
    const own = expected?.get(id);
    if (hasAnswers(category) && !own) {
      throw new CaseFileError(`${place}: "${id}" has no possible answer in ${answers?.name ?? 'any file'}.`);
    }
    cases.push({ id, category, messages: question[0], functions, answers: own ?? [] });
  }
  if (cases.length === 0) throw new CaseFileError(`${questions.name} has no questions.`);
  return cases;
}

function readAnswers(file: SuiteFile): Map<string, PythonObject[]> {
  const answers = new Map<string, PythonObject[]>();
  for (const { number, text } of linesOf(file)) {
    const place = `${file.name}, line ${number}`;
    const { id } = z.object({ id: z.string() }).catch({ id: '' }).parse(parsed(text, place));
    const line = parsePythonJson(text);
    const truth = isObject(line) ? line.ground_truth : undefined;
    if (id === '' || truth === undefined || !isList(truth) || truth.length === 0 || !truth.every(isCall)) {
      throw new CaseFileError(`${place}: expected an "id" and a list of calls as "ground_truth".`);
    }
    answers.set(id, truth.filter(isObject));
  }
  return answers;
}

function isCall(value: Parameters<typeof isObject>[0]): boolean {
  return isObject(value) && Object.keys(value).length === 1 && Object.values(value).every(isObject);
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CaseFileError(`${place}: the line is not JSON.`);
  }
}

function linesOf({ text }: SuiteFile): { number: number; text: string }[] {
  return text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : { number: index + 1, text: line }));
}
