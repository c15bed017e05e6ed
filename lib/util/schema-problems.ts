import type { z } from 'zod';
import { isRecord } from './json.ts';
import { nearestName } from './nearest-name.ts';
import { formatNumber } from './numbers.ts';
import { quotedName } from './short-text.ts';

type LineOf = (path: Path) => number | undefined;
type Path = readonly PropertyKey[];

/** Max problems: more than a person fixes at once. A hostile file has thousands, for which finding lines takes minutes. */
export const MAX_SHOWN = 20;

/** The problem of the value at a path. */
export interface FieldProblem {
  readonly path: Path;
  /** Continues the name of the field, such as `must be at least 1.`, or is a complete sentence. */
  readonly reason: string;
  /** Whether it is a complete sentence about the whole value. */
  readonly isSentence: boolean;
}

/**
 * Options for `safeParse`: problems are described by `schemaReason` instead of the library. A schema's own messages
 * take precedence.
 */
export const IN_WORDS = { error: schemaReason } as const satisfies z.core.ParseContext<z.core.$ZodIssue>;

/** The problem of a value, and what is accepted instead; continues the name of the field. */
function schemaReason(issue: z.core.$ZodRawIssue): string {
  const found = issue.input;
  switch (issue.code) {
    case 'invalid_type':
      if (found === undefined) return 'is missing.';
      // For a fraction, or a number too large for a double, "not a number" would be wrong, so the value is shown.
      return `must be ${kindName(issue.expected)}, not ${isNumeric(issue.expected) && typeof found === 'number' ? found : kindOf(found)}.`;
    case 'invalid_value':
      return mustBeOneOf(issue.values, found);
    case 'invalid_union':
      return unionReason(issue);
    case 'too_small':
      return limitReason(issue, issue.minimum, 'at least', 'more than');
    case 'too_big':
      return limitReason(issue, issue.maximum, 'at most', 'less than');
    case 'unrecognized_keys':
      return 'unknown field.';
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'is not a valid name.';
    case 'invalid_format':
      return 'does not have the right form.';
    default:
      return 'is not valid.';
  }
}

/** A path as people read and write it: `checks.0.type`. Names from a file are shortened. */
export function fieldPath(path: Path): string {
  return path.map((step) => quotedName(String(step))).join('.');
}

/**
 * Every problem that a schema found, once per location and reason. Each unknown field is a separate problem; a value of
 * the wrong type has no other.
 *
 * @param namesAt the fields that the schema knows at a path, to suggest the nearest one
 */
export function fieldProblems(
  issues: readonly z.core.$ZodIssue[],
  namesAt: (path: Path) => readonly string[] = () => [],
): FieldProblem[] {
  const keyOf = (path: Path) => JSON.stringify(path.map(String));
  const ofWrongType = new Set(
    issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => keyOf(path)),
  );
  // The library also compares the length of a text with the limits of a list.
  const relevant = issues.filter(
    ({ code, path }) => code === 'invalid_type' || !ofWrongType.has(keyOf(path)),
  );
  const all = relevant.flatMap((issue): FieldProblem[] => {
    const isSentence = issue.code === 'custom' && issue.path.length === 0;
    if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, reason: issue.message, isSentence }];
    return issue.keys.map((key, index) => ({
      path: [...issue.path, key],
      reason: `${issue.message}${index < MAX_SHOWN ? didYouMean(key, namesAt(issue.path)) : ''}`,
      isSentence,
    }));
  });
  const seen = new Set<string>();
  return all.filter(({ path, reason }) => {
    const key = keyOf([...path, reason]);
    return !seen.has(key) && seen.add(key);
  });
}

/**
 * The problems as lines such as `line 3: budget.max_seconds: must be more than 0.`, at most 20.
 *
 * @param whole what the value is, for problems that are not about a field
 * @param lineOf the line of the value at a path, if it comes from a file
 * @param namesAt the fields that the schema knows at a path, to suggest the nearest one
 */
export function describeFieldProblems(
  issues: readonly z.core.$ZodIssue[],
  whole: string,
  {
    lineOf = () => undefined,
    namesAt,
  }: { lineOf?: LineOf | undefined; namesAt?: (path: Path) => readonly string[] } = {},
): string[] {
  const lines = fieldProblems(issues, namesAt).map(({ path, reason, isSentence }, index) => {
    const line = index < MAX_SHOWN ? lineOf(path) : undefined;
    const place = path.length === 0 ? whole : fieldPath(path);
    return `${line === undefined ? '' : `line ${line}: `}${isSentence ? '' : `${place}: `}${reason}`;
  });
  return firstProblems(lines);
}

/** The first 20 problems, and how many more there are. */
export function firstProblems(lines: readonly string[]): string[] {
  const more = lines.length - MAX_SHOWN;
  return [...lines.slice(0, MAX_SHOWN), ...(more > 0 ? [`… and ${more} more`] : [])];
}

/** The reason of a union: the values of its discriminator, else what each of its options expects. */
function unionReason(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  if ('options' in issue && Array.isArray(issue.options)) {
    // `undefined` stands for an option whose discriminator has a default.
    const options: readonly unknown[] = issue.options.filter((option) => option !== undefined);
    const { input, discriminator } = issue;
    const found = isRecord(input) && typeof discriminator === 'string' ? input[discriminator] : undefined;
    return mustBeOneOf(options, found);
  }
  if (issue.input === undefined) return 'is missing.';
  const isOfOtherKind = ([first]: readonly z.core.$ZodIssue[]) =>
    first?.path.length === 0 && (first.code === 'invalid_type' || first.code === 'invalid_value');
  const sameKind = issue.errors.filter((errors) => !isOfOtherKind(errors));
  // The option with the fewest problems is most likely the intended one.
  const [[problem] = []] = sameKind.toSorted((a, b) => a.length - b.length);
  if (problem) {
    return problem.path.length === 0 ? problem.message : `${fieldPath(problem.path)}: ${problem.message}`;
  }
  const accepted = issue.errors.flatMap(([first]) => {
    if (first?.code === 'invalid_value') return first.values.map(shownValue);
    if (first?.code !== 'invalid_type') return [];
    return first.expected === 'boolean' ? ['true', 'false'] : [kindName(first.expected)];
  });
  return accepted.length === 0 ? 'is not valid.' : `must be ${orList([...new Set(accepted)])}.`;
}

function limitReason(
  { origin, inclusive, exact }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>,
  limit: number | bigint,
  ...[within, beyond]: readonly [within: string, beyond: string]
): string {
  const number = formatNumber(Number(limit));
  if (origin !== 'string' && origin !== 'array') return `must be ${inclusive ? within : beyond} ${number}.`;
  if (limit === 1 && within === 'at least') return 'must not be empty.';
  const thing = origin === 'string' ? 'character' : 'item';
  return `must have ${exact ? 'exactly' : within} ${number} ${thing}${limit === 1 ? '' : 's'}.`;
}

function mustBeOneOf(options: readonly unknown[], found: unknown): string {
  if (options.length === 1) return `must be ${shownValue(options[0])}.`;
  const hint = typeof found === 'string' ? didYouMean(found, options.map(String)) : '';
  return `must be one of ${options.map(shownValue).join(', ')}.${hint}`;
}

/** A suggestion to put after a sentence; empty if no name is similar. */
export function didYouMean(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

function shownValue(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}

function orList(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} or ${last}`;
}

const KIND_NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
  tuple: 'a list',
};

function kindName(kind: string): string {
  return KIND_NAMES[kind] ?? kind;
}

function isNumeric(kind: string): boolean {
  return kind === 'int' || kind === 'number';
}

/** Describes a value, for a sentence that says what it must be instead. */
function kindOf(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  return kindName(Array.isArray(value) ? 'array' : typeof value);
}
