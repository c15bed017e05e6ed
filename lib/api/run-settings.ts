import type { RunConfig } from '../events/config.ts';
import { ITERATION_LIMITS } from '../events/iteration-limits.ts';
import { kindFacts, kindOf, modeFacts, modesWithSetting } from '../events/modes.ts';
import { withoutNamedOptions } from '../events/sent-options.ts';
import type { JsonValue } from '../util/json.ts';
import { sortedJson } from '../util/sorted-json.ts';
import type { NewRun } from './create-run.ts';

/** The default window (C2). */
export const DEFAULT_WINDOW_TOKENS = 32_768;

/** Fields of `POST /api/runs` that say what a run does, not how. */
const NOT_SETTINGS = ['mode', 'agentic', 'title', 'task', 'model', 'workspace', 'workspace_copy'] as const;

/** The settings of a run, with the names and units of `POST /api/runs`. */
export type RunSettings = Omit<NewRun, (typeof NOT_SETTINGS)[number]>;

/** The values that other defaults depend on. */
export type DefaultsBasis = Pick<NewRun, 'mode' | 'agentic'> & Pick<RunSettings, 'tier' | 'window_tokens'>;

/**
 * The default of each setting; the only place where one setting depends on another. The server also turns the stall guard
 * off if no available tool writes files. Pure.
 */
export function defaultSettings({ mode, agentic, tier, window_tokens }: DefaultsBasis) {
  const own = kindFacts(kindOf({ mode, agentic })).defaults;
  const window = window_tokens ?? DEFAULT_WINDOW_TOKENS;
  return {
    tier: 'standard',
    max_iterations: ITERATION_LIMITS[tier ?? 'standard'],
    window_tokens: DEFAULT_WINDOW_TOKENS,
    compact_at: own.compact_at,
    // Three results of 8000 characters would fill a small window.
    result_chars: Math.max(200, Math.min(8000, Math.floor(window / 4))),
    num_predict: [...own.num_predict],
    call_timeout_seconds: 120,
    load_timeout_seconds: 600,
    stall_guard: own.stall_guard,
    nudge_plans: own.nudge_plans,
    budget: {},
    checks: [],
    max_attempts: own.max_attempts,
    live_tokens: own.live_tokens,
    think: false,
    keep_alive: '30m',
    model_options: {},
    parser_layers: [...own.parser_layers],
    context_limit: window,
    turn_delay: 0,
    max_cycles: 20,
    calls_per_cycle: 50,
    cycle_line: true,
  } satisfies RunSettings;
}

/** The default limit of the second try after a truncated reply; never lower than the first. */
export function defaultSecondReplyLimit(mode: NewRun['mode'], first: number): number {
  return Math.max(modeFacts(mode).defaults.num_predict[1], first);
}

/** Every setting of the run's mode, with its effective value. Pure. */
export function settingsOf(config: RunConfig): RunSettings {
  const { session, explore } = config;
  const shared: RunSettings = {
    window_tokens: config.window_tokens,
    num_predict: config.num_predict,
    call_timeout_seconds: config.call_timeout_ms / 1000,
    load_timeout_seconds: config.load_timeout_ms / 1000,
    budget: config.budget,
    live_tokens: config.live_tokens,
    think: config.think,
    keep_alive: config.keep_alive,
    model_options: withoutNamedOptions(config.model_options),
    parser_layers: config.parser_layers.length > 0 ? config.parser_layers : undefined,
    approval: config.approval as RunSettings['approval'],
  };
  const commands: RunSettings = {
    shell_timeout_secs: config.shell_timeout_secs,
    blocked_patterns: config.blocked_patterns,
  };
  const all: RunSettings = {
    ...shared,
    ...commands,
    ...session,
    ...explore,
    system: config.system,
    tier: config.tier,
    max_iterations: config.max_iterations,
    compact_at: config.compact_at,
    result_chars: config.result_chars,
    stall_guard: config.stall_guard,
    nudge_plans: config.nudge_plans,
    checks: config.checks,
    max_attempts: config.max_attempts,
  };
  const own = Object.entries(all).filter(([name]) => modesWithSetting(name)?.includes(config.mode) ?? true);
  return Object.fromEntries(own);
}

/** The names of the settings in a request, for the log (`asked`). */
export function askedNames(request: object): string[] {
  const named = Object.entries(request).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return named.filter((name) => !NOT_SETTINGS.some((other) => other === name));
}

/**
 * The settings that were set explicitly, without defaults. Older logs do not record the difference: there, a value equal
 * to its default counts as not set. Pure.
 */
export function askedSettings(config: RunConfig): RunSettings {
  const { asked } = config;
  const defaults: Readonly<Record<string, JsonValue>> = defaultSettings(config);
  const set = Object.entries(settingsOf(config)).filter(([name, value]) => {
    if (value === undefined) return false;
    return asked ? asked.includes(name) : !isSame(value, defaults[name]);
  });
  return Object.fromEntries(set);
}

function isSame(one: JsonValue, other: JsonValue | undefined): boolean {
  return other !== undefined && sortedJson(one) === sortedJson(other);
}
