import type { ForkPlan, ForkSettings } from '../api/fork-run.ts';
import { namedOptions } from '../api/named-options.ts';
import { askedNames, askedSettings, defaultSettings } from '../api/run-settings.ts';
import { AppError } from '../errors/app-error.ts';
import type { ModelPrice, RunConfig } from '../events/config.ts';
import { modesWithSetting } from '../events/modes.ts';
import { withoutNamedOptions } from '../events/sent-options.ts';
import { exploreIterations } from '../modes/resolve-config.ts';
import { requirePriceForBudget } from '../policies/budget.ts';
import type { JsonValue } from '../util/json.ts';
import { sortedJson } from '../util/sorted-json.ts';

/**
 * The configuration of a fork: the run's settings with the changes. Defaults that depend on a changed setting are computed
 * again. Pure.
 *
 * @throws {AppError} `invalid_request` for a setting that the mode does not have, `no_price` for a cost budget with a
 *   model that has no price
 */
export function changedConfig(
  config: RunConfig,
  request: ForkPlan,
  { workspace, price }: { workspace: string; price?: ModelPrice },
): RunConfig {
  const { title } = request;
  const settings = { ...request.settings, ...namedOptions(request.settings) };
  const { model_options, call_timeout_seconds, max_cycles, calls_per_cycle, context_limit, turn_delay } =
    settings;
  const plain = definedOf(settings, [
    'model',
    'think',
    'max_iterations',
    'max_attempts',
    'window_tokens',
    'num_predict',
    'stall_guard',
    'nudge_plans',
    'live_tokens',
    'budget',
  ]);
  requireMode(config, definedOf(settings, OWN_SETTINGS));
  const explore = withoutMissing({ max_cycles, calls_per_cycle });
  const session = withoutMissing({ turn_delay });
  const limit = withoutMissing({ context_limit });
  const changed: RunConfig = {
    ...config,
    ...plain,
    workspace,
    ...(title === undefined ? {} : { title }),
    ...(call_timeout_seconds === undefined
      ? {}
      : { call_timeout_ms: Math.max(1, Math.round(call_timeout_seconds * 1000)) }),
    model_options: withoutNamedOptions(mergedOptions(config.model_options, model_options)),
    ...(config.explore ? { explore: { ...config.explore, ...explore, ...limit } } : {}),
    ...(config.session ? { session: { ...config.session, ...session, ...limit } } : {}),
    price,
    asked: [...new Set([...askedNames(askedSettings(config)), ...askedNames(settings)])],
  };
  requirePriceForBudget(changed);
  return withDefaultsAgain(config, changed);
}

/** Computes again the defaults that depend on a changed setting. */
function withDefaultsAgain(before: RunConfig, changed: RunConfig): RunConfig {
  const follow = <T extends JsonValue>(name: string, now: T, [was, is]: [T, T]): T =>
    changed.asked?.includes(name) || sortedJson(was) === sortedJson(is) ? now : is;
  const was = defaultSettings(before);
  const window_tokens = follow('window_tokens', changed.window_tokens, [
    was.window_tokens,
    defaultSettings(changed).window_tokens,
  ]);
  const config = { ...changed, window_tokens };
  const is = defaultSettings(config);
  const limitOf = (now: number) => follow('context_limit', now, [was.context_limit, is.context_limit]);
  const { session, explore } = config;
  return {
    ...config,
    result_chars: follow('result_chars', config.result_chars, [was.result_chars, is.result_chars]),
    num_predict: follow('num_predict', config.num_predict, [was.num_predict, is.num_predict]),
    ...(session ? { session: { ...session, context_limit: limitOf(session.context_limit) } } : {}),
    ...(explore
      ? {
          explore: { ...explore, context_limit: limitOf(explore.context_limit) },
          max_iterations: exploreIterations(explore.max_cycles, explore.calls_per_cycle),
        }
      : {}),
  };
}

function definedOf<Key extends keyof ForkSettings>(settings: ForkSettings, keys: readonly Key[]) {
  const chosen: Partial<Pick<ForkSettings, Key>> = {};
  for (const key of keys) if (settings[key] !== undefined) chosen[key] = settings[key];
  return chosen;
}

function withoutMissing<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}

/** The settings of a fork that not every mode has, in the order in which they are refused. */
const OWN_SETTINGS = [
  'max_iterations',
  'max_attempts',
  'stall_guard',
  'nudge_plans',
  'max_cycles',
  'calls_per_cycle',
  'turn_delay',
  'context_limit',
] as const;

function requireMode({ mode }: RunConfig, given: object): void {
  for (const name of Object.keys(given)) {
    const modes = modesWithSetting(name);
    if (!modes || modes.includes(mode)) continue;
    const [only, ...others] = modes;
    throw refused(
      others.length > 0
        ? `settings: ${name} is not a setting of the mode "${mode}".`
        : `settings: ${name} is a setting of the mode "${only}", but this run has the mode "${mode}".`,
    );
  }
}

function mergedOptions(
  options: RunConfig['model_options'],
  changes: ForkSettings['model_options'],
): RunConfig['model_options'] {
  const merged = { ...options };
  for (const [name, value] of Object.entries(changes ?? {})) {
    if (value === null) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

/** The error for a fork request that does not fit its run. */
export function refused(message: string, hint?: string): AppError {
  return new AppError({ code: 'invalid_request', message, hint });
}
