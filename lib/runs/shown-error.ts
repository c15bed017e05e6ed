import { AppError } from '../errors/app-error.ts';

/**
 * Why something failed that a page shows as it goes on. What was not made for readers is logged and told as
 * `internal_error`.
 *
 * @param step what was done, as the end of a sentence: "the model was fetched"
 * @param way another way to do it, as a sentence
 */
export function shownError(
  error: unknown,
  { step, way }: { step: string; way?: string },
): { code: string; message: string; hint?: string } {
  if (error instanceof AppError) return { code: error.code, message: error.message, hint: error.hint };
  const message = `Something went wrong while ${step}.`;
  console.error(message, error);
  const hint = 'The log of the server says what.';
  return { code: 'internal_error', message, hint: way === undefined ? hint : `${hint} ${way}` };
}
