import { TICKET_PARAMETER } from '../api/sign-in.ts';
import { AppError } from '../errors/app-error.ts';
import { didYouMean, firstProblems } from '../util/schema-problems.ts';
import { quotedName } from '../util/short-text.ts';

/** The query parameters of a path. */
export interface QueryParameters {
  /** Each has one value. */
  query?: readonly string[];
  /** Each may have several. */
  lists?: readonly string[];
}

/**
 * Refuses parameters that the path does not have, because a misspelled filter would return everything, and a second value
 * of one that has a single value. Every path may carry the ticket of a download.
 *
 * @throws {AppError} `invalid_request`
 */
export function checkParameters(given: URLSearchParams, { query = [], lists = [] }: QueryParameters): void {
  const names = [...query, ...lists];
  const problems = [...new Set(given.keys())].flatMap((name) => {
    if (name === TICKET_PARAMETER || lists.includes(name)) return [];
    if (!query.includes(name)) return [`${quotedName(name)}: unknown parameter.${didYouMean(name, names)}`];
    const { length } = given.getAll(name);
    return length > 1 ? [`${name}: given ${length} times; it takes one value.`] : [];
  });
  if (problems.length === 0) return;
  throw new AppError({
    code: 'invalid_request',
    message: firstProblems(problems).join(' '),
    hint: names.length === 0 ? 'This path accepts no parameters.' : `This path accepts ${names.join(', ')}.`,
  });
}
