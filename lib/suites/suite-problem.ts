import type { z } from 'zod';
import { suite } from '../api/suite.ts';
import { namesInSchema } from '../util/names-in-schema.ts';
import { fieldPath, fieldProblems, firstProblems, MAX_SHOWN } from '../util/schema-problems.ts';
import { quotedName } from '../util/short-text.ts';

/** A problem of a suite, and its location. */
export interface SuiteProblem {
  /** In the file, from 1. */
  line?: number | undefined;
  caseId?: string | undefined;
  /** The path of the field in its case or in the suite, such as `checks.0.type`; empty for the whole. */
  field: string;
  reason: string;
}

type Path = readonly PropertyKey[];

/** The problems as lines such as `line 12: case "a": checks.0.type: must be one of …`, at most 20. */
export function describeProblems(problems: readonly SuiteProblem[]): string {
  return firstProblems(problems.map(describeProblem)).join('\n');
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
 * The problems that the schema found in a value, read with `IN_WORDS`.
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
  return fieldProblems(issues, namesAt).map(({ path, reason }, index) => ({
    line: index < MAX_SHOWN ? lineOf(path) : undefined,
    ...placeOf(path, value),
    reason,
  }));
}

function placeOf(path: Path, value: unknown): { caseId?: string; field: string } {
  const [list, index, ...rest] = path;
  if (list !== 'cases' || typeof index !== 'number') return { field: fieldPath(path) };
  const id = valueIn(value, ['cases', index, 'id']);
  return { caseId: typeof id === 'string' ? quotedName(id) : `#${index + 1}`, field: fieldPath(rest) };
}

/** The fields that the schema knows where it found one that it doesn't. */
function namesInSuite(path: Path): readonly string[] {
  return [...(path.length === 0 ? ['format'] : []), ...namesInSchema(suite, path)];
}

function valueIn(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (found, key) => (found as Record<PropertyKey, unknown> | undefined)?.[key],
    value,
  );
}
