import { AppError } from '../errors/app-error.ts';
import { cleanLine, sentence } from './clean-text.ts';
import { ANSWER_LOST, isUnsent } from './http-transport.ts';
import type { SecretMask } from './secrets.ts';

/** What to know about a call without a result. */
export function callHint(cause: unknown): string {
  return isUnsent(cause)
    ? 'Nothing was carried out. Try again when the server can be reached.'
    : 'The call may have been carried out: find out before you repeat it.';
}

/** Whether an error came from the server. Its codes are numbers; the client's are strings. */
export function isAnswer(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'number' && error.code !== ANSWER_LOST
  );
}

/** The status of an unsuccessful response. */
function httpStatus(error: Error): string {
  return 'status' in error && typeof error.status === 'number' ? `HTTP ${error.status}: ` : '';
}

/** An error of the client or of a server, in one sentence. Its text may come from the server. */
export function errorWords(error: unknown, mask: SecretMask): string {
  if (error instanceof AppError) return error.message;
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  const message = error instanceof Error ? `${httpStatus(error)}${error.message}${cause}` : String(error);
  return sentence(cleanLine(message, 500, mask));
}
