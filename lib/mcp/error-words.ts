import { z } from 'zod';
import { AppError } from '../errors/app-error.ts';
import { jsonValue } from '../util/json.ts';
import { fieldPath } from '../util/schema-problems.ts';
import { cleanLine, sentence } from './clean-text.ts';
import { isUnsent } from './http-transport.ts';
import { ANSWER_LOST, AnswerTimeoutError, INVALID_ANSWER, STREAM_ENDED } from './lost-answer.ts';
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

/** Whether a wait ended without any answer: at a time limit of Loupe or the library, or with the stream of events. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof AnswerTimeoutError) return true;
  if (!(error instanceof Error && 'code' in error)) return false;
  return error.code === 'REQUEST_TIMEOUT' || (error.code === ANSWER_LOST && error.message === STREAM_ENDED);
}

/** The status of an unsuccessful response. */
function httpStatus(error: Error): string {
  return 'status' in error && typeof error.status === 'number' ? `HTTP ${error.status}: ` : '';
}

/** An error of the client or of a server, in one sentence. Its text may come from the server. */
export function errorWords(error: unknown, mask: SecretMask): string {
  if (error instanceof AppError) return error.message;
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  const message =
    error instanceof Error
      ? `${httpStatus(error)}${shapeProblem(error.message) ?? error.message}${cause}`
      : String(error);
  return sentence(cleanLine(message, 500, mask));
}

/** The library's problems of an answer, written as JSON, and the method if the answer has a result. */
const SHAPE_PROBLEMS = /^(?:Invalid result for ([^:]+): )?(\[\s*\{.*\}\s*\])$/s;
const shapeProblems = z.tuple(
  [z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })],
  z.unknown(),
);

/** The first of the library's problems of an answer, in words; `undefined` for another message. */
function shapeProblem(message: string): string | undefined {
  const [, method, list = ''] = SHAPE_PROBLEMS.exec(message) ?? [];
  const problems = shapeProblems.safeParse(jsonValue(list));
  if (!problems.success) return undefined;
  const [{ path, message: reason }] = problems.data;
  return method === undefined
    ? INVALID_ANSWER
    : `Invalid result for ${method}: ${fieldPath(path)}: ${reason}`;
}
