import { type Questionnaire, questionnaire } from '../api/rating.ts';
import { AppError } from '../errors/app-error.ts';
import { readYaml } from '../util/read-yaml.ts';

type LineOf = (path: readonly PropertyKey[]) => number | undefined;

/**
 * Reads a questionnaire from a file: YAML, of which JSON is a part.
 *
 * @throws {AppError} `invalid_request` with the line of the first problem
 */
export function readQuestionnaire(text: string): Questionnaire {
  const read = readYaml(text);
  if ('problem' in read) throw refused(read.problem.reason, read.problem.line);
  return checkedQuestionnaire(read.value, read.lineOf);
}

/** @throws {AppError} `invalid_request` */
export function checkedQuestionnaire(value: unknown, lineOf?: LineOf): Questionnaire {
  const read = questionnaire.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = issue?.path ?? [];
  throw refused(`${path.join('.') || 'file'}: ${issue?.message ?? 'is not valid.'}`, lineOf?.(path));
}

function refused(reason: string, line?: number): AppError {
  return new AppError({
    code: 'invalid_request',
    message: `The questionnaire cannot be used: ${line === undefined ? '' : `line ${line}: `}${reason}`,
    hint: 'docs/ratings.md describes the format.',
  });
}
