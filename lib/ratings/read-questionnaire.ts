import { type Questionnaire, questionnaire } from '../api/rating.ts';
import { AppError } from '../errors/app-error.ts';
import { namesInSchema } from '../util/names-in-schema.ts';
import { readYaml } from '../util/read-yaml.ts';
import { describeFieldProblems, IN_WORDS } from '../util/schema-problems.ts';

type LineOf = (path: readonly PropertyKey[]) => number | undefined;

/**
 * Reads a questionnaire from a file: YAML, of which JSON is a part.
 *
 * @throws {AppError} `invalid_request` with the line, the field and the reason of each problem
 */
export function readQuestionnaire(text: string): Questionnaire {
  const read = readYaml(text);
  if (!('problem' in read)) return checkedQuestionnaire(read.value, read.lineOf);
  const { reason, line } = read.problem;
  throw refused([`${line === undefined ? '' : `line ${line}: `}${reason}`]);
}

/** @throws {AppError} `invalid_request` with the field and the reason of each problem */
export function checkedQuestionnaire(value: unknown, lineOf?: LineOf): Questionnaire {
  const read = questionnaire.safeParse(value, IN_WORDS);
  if (read.success) return read.data;
  throw refused(
    describeFieldProblems(read.error.issues, lineOf ? 'file' : 'questionnaire', {
      lineOf,
      namesAt: (path) => namesInSchema(questionnaire, path),
    }),
  );
}

function refused(problems: readonly string[]): AppError {
  return new AppError({
    code: 'invalid_request',
    message: ['The questionnaire cannot be used:', ...problems].join('\n'),
    hint: 'docs/ratings.md describes the format.',
  });
}
