import type { z } from 'zod';
import { suite } from '../api/suite.ts';
import { namesInSchema } from '../util/names-in-schema.ts';
import { nearestName } from '../util/nearest-name.ts';

/** What is wrong with a suite, and where. */
export interface SuiteProblem {
  /** In the file, from 1. */
  line?: number | undefined;
  caseId?: string | undefined;
  /** Of the field in its case or in the suite, such as `checks[0].type`; empty for the whole. */
  field: string;
  reason: string;
}

type Path = readonly PropertyKey[];

/** More problems than a person mends at once. */
const MAX_SHOWN = 20;
const MAX_QUOTED_CHARS = 60;

/** The problems as lines such as `line 12: case "a": checks[0].type: must be one of …`, at most 20. */
export function describeProblems(problems: readonly SuiteProblem[]): string {
  const lines = problems.slice(0, MAX_SHOWN).map(describeProblem);
  const more = problems.length - lines.length;
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}

function describeProblem({ line, caseId, field, reason }: SuiteProblem): string {
  return [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(caseId === undefined ? [] : [`case "${caseId}"`]),
    ...(field === '' ? [] : [field]),
    reason,
  ].join(': ');
}

/**
 * The problems that the schema found in a value.
 *
 * @param lineOf the line of the value at a path, if it comes from a file
 * @param namesAt the fields that the schema knows at a path, to suggest the nearest one
 */
export function problemsOf(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  lineOf: (path: Path) => number | undefined,
  namesAt: (path: Path) => readonly string[] = namesInSuite,
): SuiteProblem[] {
  return issues.flatMap((issue) => {
    const paths =
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    return paths.map((path) => ({
      line: lineOf(path),
      ...placeOf(path, value),
      reason: reasonOf(issue, path, { value, namesAt }),
    }));
  });
}

function placeOf(path: Path, value: unknown): { caseId?: string; field: string } {
  const [list, index, ...rest] = path;
  if (list !== 'cases' || typeof index !== 'number') return { field: fieldName(path) };
  const id = valueIn(value, ['cases', index, 'id']);
  return { caseId: typeof id === 'string' ? quoted(id) : `#${index + 1}`, field: fieldName(rest) };
}

/** A path as code writes it: `checks[0].type`. Names from a file are shortened. */
function fieldName(path: Path): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${quoted(String(step))}`,
    )
    .join('');
}

function reasonOf(
  issue: z.core.$ZodIssue,
  path: Path,
  { value, namesAt }: { value: unknown; namesAt: (path: Path) => readonly string[] },
): string {
  const found = valueIn(value, path);
  if (issue.code === 'unrecognized_keys') {
    return `unknown field.${didYouMean(String(path.at(-1)), namesAt(issue.path))}`;
  }
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)) {
    const options = issue.options.map(String);
    return `${mustBeOneOf(options)}.${typeof found === 'string' ? didYouMean(found, options) : ''}`;
  }
  if (issue.code === 'invalid_value') {
    const options = issue.values.map(String);
    return `${mustBeOneOf(options)}.${typeof found === 'string' ? didYouMean(found, options) : ''}`;
  }
  if (issue.code === 'invalid_type') {
    return found === undefined ? 'is missing.' : `must be ${kindName(issue.expected)}, not ${kindOf(found)}.`;
  }
  return issue.message;
}

/** The fields that the schema knows where it found one that it doesn't. */
function namesInSuite(path: Path): readonly string[] {
  return [...(path.length === 0 ? ['format'] : []), ...namesInSchema(suite, path)];
}

function mustBeOneOf(options: readonly string[]): string {
  return `must be ${options.length > 1 ? 'one of ' : ''}"${options.join('", "')}"`;
}

function didYouMean(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

function valueIn(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (found, key) => (found as Record<PropertyKey, unknown> | undefined)?.[key],
    value,
  );
}

const KIND_NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a text',
};

function kindName(kind: string): string {
  return KIND_NAMES[kind] ?? kind;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return kindName(Array.isArray(value) ? 'array' : typeof value);
}

function quoted(text: string): string {
  const visible = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�');
  return visible.length > MAX_QUOTED_CHARS ? `${visible.slice(0, MAX_QUOTED_CHARS)}…` : visible;
}
