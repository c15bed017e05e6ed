import { AppError, errorParts } from '../errors/app-error.ts';

/**
 * The error that a page shows for a failed background job. An unexpected error is logged and shown as `internal_error`.
 *
 * @param step what failed, as the end of a sentence: "the model was being pulled"
 * @param way an alternative to suggest, as a sentence
 */
export function shownError(
  error: unknown,
  { step, way }: { step: string; way?: string },
): { code: string; message: string; hint?: string } {
  if (error instanceof AppError) return errorParts(error);
  const message = `Something went wrong while ${step}.`;
  console.error(message, error);
  const hint = 'The server log has the details.';
  return { code: 'internal_error', message, hint: way === undefined ? hint : `${hint} ${way}` };
}
