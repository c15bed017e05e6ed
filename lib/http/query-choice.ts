import { AppError } from '../errors/app-error.ts';

/** A query parameter with a list of values; `undefined` if it is not given. @throws {AppError} `invalid_request` */
export function oneOf<Value extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const asked = query.get(name);
  if (asked === null) return undefined;
  const value = values.find((known) => known === asked);
  if (value !== undefined) return value;
  throw new AppError({
    code: 'invalid_request',
    message: `${name} is "${asked.slice(0, 40)}"; it must be one of ${values.join(', ')}.`,
  });
}

/** Like `oneOf`, for a required parameter. @throws {AppError} `invalid_request` */
export function requiredChoice<Value extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly Value[],
): Value {
  const value = oneOf(query, name, values);
  if (value !== undefined) return value;
  throw new AppError({
    code: 'invalid_request',
    message: `${name} is missing; it must be one of ${values.join(', ')}.`,
  });
}
