import { isWithin, REPLY_LIMITS, SETTINGS } from '../events/settings.ts';
import { formatNumber } from '../util/numbers.ts';
import { quotedName } from '../util/short-text.ts';
import { misspelledOptionProblems, optionValueProblem, tooManyOptions } from './model-options.ts';

type Options = Readonly<Record<string, unknown>>;

/** The window and reply limits of a request; each can be set in two ways. */
interface Asked {
  readonly model_options?: Options;
  readonly window_tokens?: number;
  readonly num_predict?: readonly [number, number];
}

const { window_tokens: windowSetting } = SETTINGS;
const isWindow = (value: unknown): value is number => isWithin(windowSetting, value);
const isReplyLimit = (value: unknown): value is number => isWithin(REPLY_LIMITS.first, value);
const windowRange = `${formatNumber(windowSetting.min)} to ${formatNumber(windowSetting.max)}`;

/** What is wrong with the value of an option: `must be a number, not "hot".` */
export function optionProblem(name: string, value: unknown): string | undefined {
  if (name === 'num_ctx') {
    return isWindow(value)
      ? undefined
      : `must be a whole number from ${windowRange}. Set window_tokens instead.`;
  }
  if (name === 'num_predict') {
    return isReplyLimit(value)
      ? undefined
      : 'must be a positive whole number: a reply without a limit may never end. Set the field num_predict instead: [first, second].';
  }
  return optionValueProblem(name, value);
}

/**
 * Validates the values of model options. `num_ctx` and `num_predict` also exist as settings of the run, `window_tokens`
 * and `num_predict`, which they must not contradict. `null` removes an option and is always valid.
 */
function namedOptionProblems({ model_options = {}, window_tokens, num_predict }: Asked): string[] {
  const { num_ctx: window, num_predict: limit } = model_options;
  const problems = Object.entries(model_options).flatMap(([name, value]) => {
    const problem = value === null ? undefined : optionProblem(name, value);
    return problem === undefined ? [] : [`${quotedName(name)} ${problem}`];
  });
  if (isWindow(window) && window_tokens !== undefined && window !== window_tokens) {
    problems.push(`num_ctx is ${window}, but window_tokens is ${window_tokens}. Use window_tokens.`);
  }
  if (isReplyLimit(limit) && num_predict !== undefined && limit !== num_predict[0]) {
    problems.push(
      `num_predict is ${limit}, but the field num_predict is [${num_predict.join(', ')}]. Use the field.`,
    );
  }
  return problems;
}

/** Everything that is wrong with the model options of a request: their number, their values, misspelled names. */
export function modelOptionProblems(asked: Asked): string[] {
  const tooMany = tooManyOptions(asked.model_options);
  if (tooMany !== undefined) return [tooMany];
  return [...namedOptionProblems(asked), ...misspelledOptionProblems(asked.model_options)];
}

/** The window and reply limits of a request, from either place; missing if not set. */
export function namedOptions({ model_options = {}, window_tokens, num_predict }: Asked): {
  window_tokens?: number;
  num_predict?: [number, number];
} {
  const { num_ctx, num_predict: limit } = model_options;
  const window = window_tokens ?? (isWindow(num_ctx) ? num_ctx : undefined);
  const limits = num_predict ?? (isReplyLimit(limit) ? ([limit, limit] as const) : undefined);
  return {
    ...(window === undefined ? {} : { window_tokens: window }),
    ...(limits === undefined ? {} : { num_predict: [...limits] }),
  };
}
