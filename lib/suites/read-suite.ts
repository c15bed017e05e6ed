import { type Suite, type SuiteFileFormat, suite, suiteHeader } from '../api/suite.ts';
import { AppError } from '../errors/app-error.ts';
import { MAX_SUITE_BYTES } from '../events/limits.ts';
import { errorMessage } from '../util/error-message.ts';
import { isRecord } from '../util/json.ts';
import { readYaml, TOO_DEEP } from '../util/read-yaml.ts';
import { IN_WORDS } from '../util/schema-problems.ts';
import { describeProblems, problemsOf, type SuiteProblem } from './suite-problem.ts';
import { sizeProblem, TOO_LARGE } from './suite-size.ts';

export type ReadSuite = { suite: Suite } | { problems: SuiteProblem[] };

/** A suite file. */
export interface SuiteFile {
  text: string;
  format: SuiteFileFormat;
  /** The name of a suite whose file gives none. */
  name?: string | undefined;
}

/** A file as values, with the line of each. */
interface Parsed {
  value: unknown;
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

/**
 * Reads a suite file. Also accepts samples of an Inspect dataset as cases: a list without a header, numeric or missing
 * IDs (then numbered from 1), and null fields.
 *
 * @returns every problem with its line, its case and its reason
 */
export function readSuiteFile({ text: given, format, name }: SuiteFile): ReadSuite {
  const text = given.replace(/^\u{feff}/u, '');
  if (Buffer.byteLength(text) > MAX_SUITE_BYTES) return failed(TOO_LARGE);
  try {
    const parsed = PARSERS[format](text);
    return 'problems' in parsed ? parsed : checkSuite(parsed.value, name, parsed.lineOf);
  } catch (error) {
    if (error instanceof RangeError) return failed(TOO_DEEP);
    throw error;
  }
}

/** Checks a suite that is not a file, such as one from a form, like the content of a file. */
export function readSuiteValue(value: unknown): ReadSuite {
  return checkSuite(value, undefined, () => undefined);
}

/** @throws {AppError} `invalid_request` with the place of each problem */
export function acceptedSuite(read: ReadSuite): Suite {
  if ('suite' in read) return read.suite;
  throw new AppError({
    code: 'invalid_request',
    message: describeProblems(read.problems),
    hint: 'docs/suites.md describes the format.',
  });
}

function checkSuite(value: unknown, name: string | undefined, lineOf: Parsed['lineOf']): ReadSuite {
  const problem = sizeProblem(value);
  if (problem !== undefined) return failed(problem);
  const given = asSuite(value, name);
  const { format, ...fields } = given;
  if (format !== undefined) {
    const mark = suiteHeader.pick({ format: true }).safeParse({ format }, IN_WORDS);
    if (!mark.success) return { problems: problemsOf(mark.error.issues, given, lineOf) };
  }
  const result = suite.safeParse(fields, IN_WORDS);
  if (!result.success) {
    // The whole file is one list if it has no name of its own.
    const atTop = Array.isArray(value);
    const place: Parsed['lineOf'] = (path) => lineOf(atTop && path[0] === 'cases' ? path.slice(1) : path);
    return { problems: problemsOf(result.error.issues, given, place) };
  }
  const bytes = Buffer.byteLength(JSON.stringify(result.data));
  return bytes > MAX_SUITE_BYTES ? failed(TOO_LARGE) : { suite: result.data };
}

/** The fields of a suite, of a file that may be a dataset. */
function asSuite(value: unknown, name: string | undefined): Record<string, unknown> {
  const fields: Record<string, unknown> = isRecord(value) ? { ...value } : { cases: value };
  if (fields.name === undefined && name !== undefined) fields.name = name;
  if (Array.isArray(fields.cases)) fields.cases = fields.cases.map(asCase);
  return fields;
}

function asCase(value: unknown, index: number): unknown {
  if (!isRecord(value)) return value;
  const given = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  const { id = index + 1, ...fields } = Object.fromEntries(given);
  return { id: typeof id === 'number' ? String(id) : id, ...fields };
}

const PARSERS = { yaml: parseYaml, json: parseJson, jsonl: parseLines } as const satisfies Record<
  SuiteFileFormat,
  (text: string) => Parsed | { problems: SuiteProblem[] }
>;

function parseYaml(text: string): Parsed | { problems: SuiteProblem[] } {
  const read = readYaml(text);
  return 'problem' in read ? failed(read.problem.reason, read.problem.line) : read;
}

function parseJson(text: string): Parsed | { problems: SuiteProblem[] } {
  const parsed = jsonOf(text);
  if ('problem' in parsed) {
    const line = /\(line (\d+) column/.exec(parsed.problem)?.[1];
    return failed(parsed.problem, line === undefined ? undefined : Number(line));
  }
  // JSON is YAML, whose reader knows the lines. It is needed only if something is wrong.
  let lineOf: Parsed['lineOf'] | undefined;
  return {
    value: parsed.value,
    lineOf(path) {
      if (!lineOf) {
        const read = readYaml(text);
        lineOf = 'lineOf' in read ? read.lineOf : () => undefined;
      }
      return lineOf(path);
    },
  };
}

function parseLines(text: string): Parsed | { problems: SuiteProblem[] } {
  const cases: unknown[] = [];
  const lines: number[] = [];
  const problems: SuiteProblem[] = [];
  let header: Record<string, unknown> | undefined;
  for (const [index, content] of text.split('\n').entries()) {
    if (content.trim() === '') continue;
    const line = index + 1;
    const parsed = jsonOf(content);
    if ('problem' in parsed) problems.push({ line, field: '', reason: parsed.problem });
    else if (!isRecord(parsed.value)) {
      problems.push({ line, field: '', reason: 'must be an object: one case per line.' });
    } else if (cases.length === 0 && !header && isHeader(parsed.value)) header = parsed.value;
    else {
      cases.push(parsed.value);
      lines.push(line);
    }
  }
  if (problems.length > 0) return { problems };
  const lineOf: Parsed['lineOf'] = ([list, index]) =>
    list === 'cases' ? lines[typeof index === 'number' ? index : 0] : 1;
  return { value: { ...header, cases }, lineOf };
}

/** The first line may be the suite's header: a case has no format, and a header no input. */
function isHeader(value: Record<string, unknown>): boolean {
  return 'format' in value || ('name' in value && !('input' in value));
}

function jsonOf(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const reason = errorMessage(error);
    return { problem: `This is not JSON: ${firstLine(reason)}.` };
  }
}

function failed(reason: string, line?: number): { problems: SuiteProblem[] } {
  return { problems: [{ line, field: '', reason }] };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 200) ?? '';
}
