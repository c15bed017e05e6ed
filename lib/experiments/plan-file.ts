import { stringify } from 'yaml';
import { type ExperimentPlan, type ExperimentRequest, experimentRequest } from '../api/experiment.ts';
import { AppError } from '../errors/app-error.ts';
import { describeProblems, problemsOf, type SuiteProblem } from '../suites/suite-problem.ts';
import { isRecord } from '../util/json.ts';
import { namesInSchema } from '../util/names-in-schema.ts';
import { readYaml } from '../util/read-yaml.ts';
import { IN_WORDS } from '../util/schema-problems.ts';

/** The mark of a plan file, as its field `format`. Optional when reading. */
const PLAN_FORMAT = 'loupe-experiment/1';

/** A plan from a file. */
export interface PlanFile {
  /** The body of `POST /api/experiments`. Without a suite if `suiteFile` names one. */
  request: ExperimentRequest;
  /** The suite file that the plan names as `suite.file`, as written there, and which of its cases to run. */
  suiteFile?: { path: string; tags?: string[]; cases?: string[] };
}

/**
 * Reads a plan file: YAML or JSON with the fields of `POST /api/experiments`. Its `suite` can also name a suite file:
 * `suite: {file: cases.yaml}`. Pure.
 *
 * @throws {AppError} `invalid_request`, with the line, the field and the reason of each problem
 */
export function readPlanFile(text: string): PlanFile {
  const { value, lineOf } = parsePlan(text);
  const { format, ...fields } = value;
  if (format !== undefined && format !== PLAN_FORMAT) {
    refuse([{ line: lineOf(['format']), field: 'format', reason: `must be "${PLAN_FORMAT}".` }]);
  }
  const { suite } = fields;
  const file = isRecord(suite) ? suite.file : undefined;
  // The ID takes the place of the file, so that the rules for suites apply.
  const { file: _, ...chosen } = isRecord(suite) ? suite : {};
  const asked = file === undefined ? fields : { ...fields, suite: { ...chosen, id: 'file' } };
  const problems = [
    ...(file === undefined ? [] : fileProblems(file, chosen, lineOf(['suite', 'file']))),
    ...issuesOf(asked, value, lineOf),
  ];
  if (problems.length > 0) refuse(problems);
  const request = asked as ExperimentRequest;
  if (typeof file !== 'string') return { request };
  const { suite: { tags, cases } = {}, ...rest } = request;
  return {
    request: rest,
    suiteFile: { path: file, ...(tags ? { tags } : {}), ...(cases ? { cases } : {}) },
  };
}

function issuesOf(
  asked: unknown,
  value: unknown,
  lineOf: (path: readonly PropertyKey[]) => number | undefined,
): SuiteProblem[] {
  const result = experimentRequest.safeParse(asked, IN_WORDS);
  if (result.success) return [];
  // A plan file has two fields that a request lacks: the mark, and the path of a suite file.
  const namesAt = (path: readonly PropertyKey[]) => [
    ...(path.length === 0 ? ['format'] : []),
    ...(path.length === 1 && path[0] === 'suite' ? ['file'] : []),
    ...namesInSchema(experimentRequest, path),
  ];
  return problemsOf(result.error.issues, value, lineOf, namesAt);
}

function fileProblems(
  file: unknown,
  { id, shipped, hash }: Record<string, unknown>,
  line: number | undefined,
): SuiteProblem[] {
  if (typeof file !== 'string' || file.trim() === '') {
    return [{ line, field: 'suite.file', reason: 'must be the path of a suite file.' }];
  }
  const others = Object.entries({ id, shipped, hash }).filter(([, other]) => other !== undefined);
  return others.map(([name]) => ({
    line,
    field: `suite.${name}`,
    reason: 'cannot be given with suite.file.',
  }));
}

function parsePlan(text: string) {
  const read = readYaml(text);
  if ('problem' in read) refuse([{ field: '', ...read.problem }]);
  const { value, lineOf } = read;
  if (!isRecord(value))
    refuse([{ line: 1, field: '', reason: 'must be an object with the fields of a plan.' }]);
  return { value, lineOf };
}

/**
 * The text of a plan file, which `readPlanFile` reads back as the same plan. Fields with default values are left out.
 *
 * @param suiteFile the name of a suite file next to it, used in place of its suite, with only the cases that the plan
 *   chooses
 */
export function writePlanFile(plan: ExperimentPlan, suiteFile?: string): string {
  const { suite, settings, options, seeds, factors, task, ...rest } = plan;
  return stringify(
    {
      format: PLAN_FORMAT,
      ...rest,
      ...(task === '' ? {} : { task }),
      ...(suite === undefined ? {} : { suite: suiteFile === undefined ? suite : { file: suiteFile } }),
      ...(options.every((each) => Object.keys(each).length === 0) ? {} : { options }),
      ...(factors === undefined || Object.keys(factors).length === 0 ? {} : { factors }),
      ...(seeds.length === 0 ? {} : { seeds }),
      ...(Object.keys(settings).length === 0 ? {} : { settings }),
    },
    // `compat`: PyYAML and others read YAML 1.1, where an unquoted Yes is true.
    { lineWidth: 0, aliasDuplicateObjects: false, version: '1.2', compat: 'yaml-1.1' },
  );
}

function refuse(problems: readonly SuiteProblem[]): never {
  throw new AppError({
    code: 'invalid_request',
    message: describeProblems(problems),
    hint: 'docs/experiments.md describes plan files.',
  });
}
