import { parseDocument } from 'yaml';
import { type Questionnaire, questionnaire } from '../api/rating.ts';
import { AppError } from '../errors/app-error.ts';

const MAX_ALIASES = 10;

/**
 * Reads a questionnaire from a file: YAML, of which JSON is a part.
 *
 * @throws {AppError} `invalid_request` with the place of the first problem
 */
export function readQuestionnaire(text: string): Questionnaire {
  const document = parseDocument(text, { schema: 'core', merge: false, logLevel: 'silent' });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw refused(problem.message.split('\n', 1)[0] ?? 'It is not YAML.');
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (error instanceof ReferenceError) throw refused('It has too many aliases.');
    throw error;
  }
  return checkedQuestionnaire(value);
}

/** @throws {AppError} `invalid_request` */
export function checkedQuestionnaire(value: unknown): Questionnaire {
  const read = questionnaire.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw refused(`${issue?.path.join('.') || 'file'}: ${issue?.message ?? 'is not valid.'}`);
}

function refused(message: string): AppError {
  return new AppError({
    code: 'invalid_request',
    message: `The questionnaire cannot be used: ${message}`,
    hint: 'docs/ratings.md describes the format.',
  });
}
