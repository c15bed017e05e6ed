import type { Check } from '../events/check.ts';
import { isCheckType } from '../events/check-kinds.ts';
import { jsonValue } from '../util/json.ts';
import { nearestName } from '../util/nearest-name.ts';

/** How `--check` writes each kind, and the fields that its value sets. The server checks them. */
const KINDS: Readonly<
  Record<Check['type'], { value: string; fields: (value: string) => object | undefined }>
> = {
  command: { value: 'COMMAND', fields: (command) => ({ command }) },
  file_exists: { value: 'PATH', fields: (path) => ({ path }) },
  file_contains: { value: 'PATH:TEXT', fields: pathAndText },
  answer_contains: { value: 'TEXT', fields: (text) => ({ text }) },
  answer_matches: { value: 'REGEX', fields: (pattern) => ({ pattern }) },
  answer_equals: { value: 'TEXT|NUMBER', fields: (value) => ({ value: numberOr(value) }) },
  answer_schema: { value: 'JSON', fields: (text) => objectOr(text, (schema) => ({ schema })) },
  tool_called: { value: 'TOOL', fields: (tool) => ({ tool }) },
  tool_not_called: { value: 'TOOL', fields: (tool) => ({ tool }) },
  iterations_at_most: { value: 'N', fields: (value) => ({ iterations: numberOr(value) }) },
  rubric: { value: 'CRITERIA', fields: (criteria) => ({ criteria }) },
};

const KIND_NAMES = Object.keys(KINDS);

/** The kinds of checks with their values, as `loupe help` lists them. */
export const CHECK_USAGE = Object.entries(KINDS).map(([type, { value }]) => `${type}=${value}`);

/**
 * Reads the value of `--check`: `answer_contains=Paris`, or a whole check of the API as JSON. Pure.
 *
 * @returns the check for `POST /api/runs`, or what is wrong as `problem`
 */
export function readCheckArgument(text: string): { check: unknown } | { problem: string } {
  if (text.startsWith('{')) {
    return objectOr(text, (check) => ({ check })) ?? { problem: 'is not valid JSON.' };
  }
  const at = text.indexOf('=');
  const type = at < 0 ? text : text.slice(0, at);
  if (!isCheckType(type)) {
    const nearest = nearestName(type, KIND_NAMES);
    return {
      problem: `does not begin with a kind of check${nearest ? `; did you mean "${nearest}"?` : `: ${KIND_NAMES.join(', ')}.`}`,
    };
  }
  const { value, fields } = KINDS[type];
  const read = at < 0 ? undefined : fields(text.slice(at + 1));
  return read ? { check: { type, ...read } } : { problem: `must be ${type}=${value}.` };
}

function pathAndText(value: string): object | undefined {
  const at = value.indexOf(':');
  return at < 1 ? undefined : { path: value.slice(0, at), text: value.slice(at + 1) };
}

function numberOr(text: string): number | string {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function objectOr<Result>(text: string, of: (value: object) => Result): Result | undefined {
  const value = jsonValue(text);
  return typeof value === 'object' && value !== null ? of(value) : undefined;
}
