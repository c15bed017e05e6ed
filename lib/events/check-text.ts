import { assertNever } from '../util/assert-never.ts';
import { plural } from '../util/numbers.ts';
import { sortedJson } from '../util/sorted-json.ts';
import type { Check, CheckOf } from './check.ts';

/** A check as a line of text, for pages, comparisons and exports. Pure. */
export function checkText(check: Check): string {
  switch (check.type) {
    case 'command':
      return check.command;
    case 'file_exists':
      return `${check.path} exists`;
    case 'file_contains':
      return `${check.path} contains "${check.text}"`;
    case 'answer_contains':
      return `Answer contains ${quotedTexts(check.text)}${caseText(check)}`;
    case 'answer_matches':
      return `Answer matches /${check.pattern}/${caseText(check)}`;
    case 'answer_equals':
      return typeof check.value === 'number'
        ? `Answer is the number ${check.value}${check.tolerance ? ` ± ${check.tolerance}` : ''}`
        : `Answer equals "${check.value}"`;
    case 'answer_schema':
      return `Answer fits the JSON schema ${schemaName(check)}`;
    case 'tool_called':
      return `${check.tool} is called ${callsText(check)}`;
    case 'tool_not_called':
      return `${check.tool} is not called`;
    case 'iterations_at_most':
      return `At most ${plural(check.iterations, 'iteration')}`;
    case 'rubric':
      return `Opinion${check.model === undefined ? '' : ` of ${check.model}`}: ${check.criteria}`;
    default:
      return assertNever(check);
  }
}

/** Texts of which one is enough: `"4" or "four"`. */
export function quotedTexts(texts: string | readonly string[]): string {
  return [texts]
    .flat()
    .map((text) => `"${text}"`)
    .join(' or ');
}

/** How often a tool must be called, and how: `at least 2 times with {"path":"a.md"}`. */
export function callsText({ arguments: given, at_least = 1, at_most }: CheckOf<'tool_called'>): string {
  const count =
    at_most === undefined
      ? `at least ${plural(at_least, 'time')}`
      : at_least === at_most
        ? plural(at_most, 'time')
        : `${at_least} to ${plural(at_most, 'time')}`;
  return given ? `${count} with ${sortedJson(given)}` : count;
}

function caseText({ case_sensitive }: { case_sensitive?: boolean | undefined }): string {
  return case_sensitive ? ', case-sensitive' : '';
}

function schemaName({ schema }: CheckOf<'answer_schema'>): string {
  return typeof schema.title === 'string' ? `"${schema.title}"` : sortedJson(schema);
}
