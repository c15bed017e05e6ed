import type { ExperimentMode, ExperimentPlan, ExperimentSuite } from '../api/experiment.ts';
import { modeOfCase, type SuiteCase } from '../api/suite.ts';
import { AppError } from '../errors/app-error.ts';
import { nearestName } from '../util/nearest-name.ts';
import { plural } from '../util/numbers.ts';
import { settingsOfNoCase } from './plan-runs.ts';

/** The suite that a plan names. */
export type SuiteReference = NonNullable<ExperimentPlan['suite']>;

/** A version of a suite. */
export interface FoundSuite {
  /** Missing for a suite that ships with Loupe. */
  readonly id?: string;
  readonly name: string;
  readonly hash: string;
  readonly cases: readonly SuiteCase[];
}

/** The part of a suite that an experiment runs. */
export interface ExperimentCases {
  readonly suite: ExperimentSuite;
  /** In the order of the suite. */
  readonly cases: readonly SuiteCase[];
}

/**
 * The cases of a suite that a plan asks for. Pure.
 *
 * @throws {AppError} `invalid_request` for tags and IDs that no case has, and if no case is left
 */
export function chosenCases({ id, name, hash, cases }: FoundSuite, asked: SuiteReference): ExperimentCases {
  requireKnown('tags', asked.tags, [...new Set(cases.flatMap(({ tags = [] }) => tags))], name);
  requireKnown(
    'cases',
    asked.cases,
    cases.map((one) => one.id),
    name,
  );
  const tags = asked.tags && new Set(asked.tags);
  const ids = asked.cases && new Set(asked.cases);
  const chosen = cases.filter(
    (one) => (!tags || one.tags?.some((tag) => tags.has(tag))) && (!ids || ids.has(one.id)),
  );
  const modes = modesOf(chosen);
  const [first, ...others] = modes;
  if (first === undefined) {
    throw refusal(
      `suite: No case of "${name}" has one of these tags and one of these IDs.`,
      'Choose by tags or by cases.',
    );
  }
  return {
    suite: {
      ...(id === undefined ? {} : { id }),
      ...{ name, hash, cases: chosen.length, modes: [first, ...others] },
    },
    cases: chosen,
  };
}

/**
 * Refuses settings and factors that no case has, because they would silently do nothing. Pure.
 *
 * @throws {AppError} `invalid_request`
 */
export function requireEffect(plan: ExperimentPlan, { modes, name }: ExperimentSuite): void {
  const [unused] = settingsOfNoCase(plan, modes);
  if (unused === undefined) return;
  throw refusal(
    `${unused}: No case of "${name}" has this setting. Its modes: ${modes.join(', ')}.`,
    'Remove it, or choose cases of another mode.',
  );
}

/** The modes of cases, the most frequent first. */
function modesOf(cases: readonly SuiteCase[]): ExperimentMode[] {
  const counts = new Map<ExperimentMode, number>();
  for (const one of cases) {
    const mode = modeOfCase(one);
    counts.set(mode, (counts.get(mode) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([mode]) => mode);
}

function requireKnown(
  field: 'tags' | 'cases',
  asked: readonly string[] = [],
  known: readonly string[],
  suite: string,
): void {
  const names = new Set(known);
  const unknown = asked.filter((name) => !names.has(name));
  const [first] = unknown;
  if (first === undefined) return;
  const nearest = nearestName(first, known);
  const meant = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  const what = field === 'tags' ? 'no case with the tag' : 'no case';
  const more =
    unknown.length > 1 ? ` ${plural(unknown.length - 1, 'more name')} of the list is unknown.` : '';
  throw refusal(
    `suite.${field}: The suite "${suite}" has ${what} "${first}".${meant}${more}`,
    'GET /api/suites/{id} lists the cases.',
  );
}

function refusal(message: string, hint: string): AppError {
  return new AppError({ code: 'invalid_request', message, hint });
}
