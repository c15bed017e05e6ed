import { plural } from '../util/numbers.ts';
import type { AskedField, EnteredContent, EnteredValue } from './mcp-request.ts';

/** The longest text that a person enters in one field. */
export const MAX_ENTERED_CHARS = 4000;

/**
 * What is wrong with the content of a form, by the name of the field; empty if it can be sent. Pure, and used by the form
 * and the server alike.
 */
export function contentProblems(
  fields: readonly AskedField[],
  content: EnteredContent,
): Record<string, string> {
  const known = new Map(fields.map((field) => [field.name, field]));
  const unknown = Object.keys(content).filter((name) => !known.has(name));
  const problems = fields.flatMap((field): [string, string][] => {
    const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined;
    const problem = value === undefined ? missing(field) : problemOf(field, value);
    return problem === undefined ? [] : [[field.name, problem]];
  });
  return Object.fromEntries([
    ...problems,
    ...unknown.map((name) => [name, 'The server did not ask for this.'] as const),
  ]);
}

function missing({ required }: AskedField): string | undefined {
  return required ? 'Enter a value.' : undefined;
}

function problemOf(field: AskedField, value: EnteredValue): string | undefined {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? textProblem(field, value) : 'Enter a text.';
    case 'number':
    case 'integer':
      return typeof value === 'number' && Number.isFinite(value)
        ? numberProblem(field, value)
        : 'Enter a number.';
    case 'switch':
      return typeof value === 'boolean' ? undefined : 'Choose yes or no.';
    case 'choice':
      return typeof value === 'string' && isOption(field, value) ? undefined : 'Choose one of the options.';
    case 'choices':
      return Array.isArray(value) ? choicesProblem(field, value) : 'Choose from the options.';
  }
}

function textProblem({ min, max, format }: AskedField, text: string): string | undefined {
  // The protocol counts characters as JSON Schema does.
  const chars = [...text].length;
  if (text.length > MAX_ENTERED_CHARS) return `Enter at most ${plural(MAX_ENTERED_CHARS, 'character')}.`;
  if (min !== undefined && chars < min) return `Enter at least ${plural(min, 'character')}.`;
  if (max !== undefined && chars > max) return `Enter at most ${plural(max, 'character')}.`;
  return format === undefined || FORMATS[format].test(text) ? undefined : FORMAT_PROBLEMS[format];
}

const FORMATS = {
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/,
} as const;

const FORMAT_PROBLEMS = {
  email: 'Enter an e-mail address.',
  uri: 'Enter an address such as https://example.org.',
  date: 'Enter a date such as 2026-01-31.',
  'date-time': 'Enter a date and time such as 2026-01-31T12:00:00Z.',
} as const;

function numberProblem({ kind, min, max }: AskedField, value: number): string | undefined {
  if (kind === 'integer' && !Number.isInteger(value)) return 'Enter a whole number.';
  if (min !== undefined && value < min) return `Enter at least ${min}.`;
  if (max !== undefined && value > max) return `Enter at most ${max}.`;
  return undefined;
}

function choicesProblem(field: AskedField, values: readonly string[]): string | undefined {
  if (!values.every((value) => isOption(field, value)) || new Set(values).size !== values.length) {
    return 'Choose from the options.';
  }
  const { min, max } = field;
  if (min !== undefined && values.length < min) return `Choose at least ${min}.`;
  if (max !== undefined && values.length > max) return `Choose at most ${max}.`;
  return undefined;
}

function isOption({ options = [] }: AskedField, value: string): boolean {
  return options.some((option) => option.value === value);
}
