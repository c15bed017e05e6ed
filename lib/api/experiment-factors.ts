import { z } from 'zod';
import { numberSchema, optionalSettings } from '../events/config.ts';
import { MAX_FACTOR_VALUES } from '../events/limits.ts';
import { optionValue } from '../events/setting-values.ts';
import {
  MODEL_OPTION_NAMES,
  MODEL_OPTIONS,
  OPTION_PREFIX,
  REPLY_LIMITS,
  SETTING_NAMES,
} from '../events/settings.ts';
import type { JsonValue } from '../util/json.ts';
import { fieldPath, fieldProblems, IN_WORDS } from '../util/schema-problems.ts';
import { sortedJson } from '../util/sorted-json.ts';
import { NOT_FACTORS, optionOfFactor, unknownFactor } from './factor-names.ts';
import { misspelledOption, optionType } from './model-options.ts';

/** Settings to vary: by name, the values to try. */
export const factorLists = z.record(z.string(), z.array(z.json()));
export type FactorLists = z.infer<typeof factorLists>;

/** The value that each factor has in one run. */
export const factorValues = z.record(z.string(), z.json());
export type FactorValues = z.infer<typeof factorValues>;

const replyLimit = numberSchema(REPLY_LIMITS.first);

/** The schema of each factor's values. */
const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ...Object.entries(optionalSettings(SETTING_NAMES))
    .filter(([name]) => !Object.hasOwn(NOT_FACTORS, name))
    .map(([name, schema]): [string, z.ZodType] => [name, schema.unwrap()]),
  // One number is both limits.
  ['num_predict', z.union([replyLimit, optionalSettings(['num_predict']).num_predict.unwrap()])],
  ...MODEL_OPTION_NAMES.filter((name) => !Object.hasOwn(NOT_FACTORS, name)).map(
    (name): [string, z.ZodType] => [name, numberSchema(MODEL_OPTIONS[name])],
  ),
]);

/** Options that are also known by another name. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  [`${OPTION_PREFIX}num_ctx`, 'window_tokens'],
  [`${OPTION_PREFIX}num_predict`, 'num_predict'],
  ...MODEL_OPTION_NAMES.map((name): [string, string] => [`${OPTION_PREFIX}${name}`, name]),
]);

/** The problem of a factor. */
export interface FactorProblem {
  /** The factor's name, and the index of the value if it is about one. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Every problem of a plan's factors: unknown names, wrong values, values that appear twice, and settings that are
 * already set elsewhere in the plan. Pure.
 *
 * @param fixed what else the plan sets: its settings, and the names in its option sets
 */
export function factorProblems(
  factors: FactorLists,
  fixed: { settings?: object; cycles?: number; options?: readonly object[] } = {},
): FactorProblem[] {
  const elsewhere = setElsewhere(fixed);
  const canonical = new Map<string, string>();
  return Object.entries(factors).flatMap(([name, values]): FactorProblem[] => {
    const problem = nameProblem(name) ?? countProblem(values) ?? elsewhere.get(plainName(name));
    if (problem !== undefined) return [{ path: [name], message: problem }];
    const twin = canonical.get(plainName(name));
    if (twin !== undefined) return [{ path: [name], message: `This is the same option as ${twin}.` }];
    canonical.set(plainName(name), name);
    return valueProblems(name, values);
  });
}

/** The setting that a factor varies: `model_options.num_ctx` is the window. */
function plainName(name: string): string {
  return ALIASES.get(name) ?? name;
}

function setElsewhere({
  settings = {},
  cycles,
  options = [],
}: Parameters<typeof factorProblems>[1] & object): Map<string, string> {
  return new Map([
    ...options.flatMap((set) =>
      Object.keys(set).map((name): [string, string] => [
        plainName(`${OPTION_PREFIX}${name}`),
        `The option sets also set it. Remove ${name} from options.`,
      ]),
    ),
    ...Object.entries(settings).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, 'settings also sets it. Remove it from settings.']],
    ),
    ...(cycles === undefined
      ? []
      : [['max_cycles', 'cycles also sets it. Remove cycles.'] satisfies [string, string]]),
  ]);
}

function nameProblem(name: string): string | undefined {
  const option = optionOfFactor(name);
  const own = Object.hasOwn(NOT_FACTORS, option ?? name) ? NOT_FACTORS[option ?? name] : undefined;
  if (own !== undefined) return own;
  if (option !== undefined) {
    return /^[a-z][a-z0-9_]{0,60}$/.test(option)
      ? misspelledOption(option)
      : 'The name of an option must consist of lowercase letters, digits and underscores.';
  }
  return SCHEMAS.has(name) ? undefined : unknownFactor(name);
}

function countProblem(values: readonly unknown[]): string | undefined {
  if (values.length >= 1 && values.length <= MAX_FACTOR_VALUES) return undefined;
  return `A factor must have 1 to ${MAX_FACTOR_VALUES} values; this one has ${values.length}.`;
}

function valueProblems(name: string, values: readonly JsonValue[]): FactorProblem[] {
  const plain = plainName(name);
  const option = optionOfFactor(plain);
  const schema = SCHEMAS.get(plain) ?? optionValue;
  const type = option === undefined ? undefined : optionType(option);
  const first = new Map<string, number>();
  return values.flatMap((value, index): FactorProblem[] => {
    const read = schema.safeParse(value, IN_WORDS);
    const wrong = (reason: string): FactorProblem[] => [
      { path: [name, index], message: `${JSON.stringify(value).slice(0, 80)} is not valid: ${reason}` },
    ];
    if (!read.success) {
      const [problem] = fieldProblems(read.error.issues);
      const inner = problem && problem.path.length > 0 ? `${fieldPath(problem.path)}: ` : '';
      return wrong(`${inner}${problem?.reason ?? ''}`);
    }
    if (type && !type.fits(value)) return wrong(`must be ${type.words}.`);
    const key = sortedJson(value);
    const before = first.get(key);
    if (before !== undefined) {
      return [{ path: [name, index], message: `It is the same as value ${before + 1}.` }];
    }
    first.set(key, index);
    return [];
  });
}

/**
 * The fields of `POST /api/runs` set by the values of a run's factors, except for model options.
 *
 * @param values valid ones (`factorProblems`)
 */
export function factorFields(values: FactorValues): {
  settings: Record<string, JsonValue>;
  options: Record<string, JsonValue>;
} {
  const settings: Record<string, JsonValue> = {};
  const options: Record<string, JsonValue> = {};
  for (const [given, value] of Object.entries(values)) {
    const name = plainName(given);
    const option = optionOfFactor(name);
    if (option !== undefined) options[option] = value;
    else if (MODEL_OPTION_NAMES.some((known) => known === name)) options[name] = value;
    else settings[name] = name === 'num_predict' && typeof value === 'number' ? [value, value] : value;
  }
  return { settings, options };
}
