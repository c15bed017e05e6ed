import type { RunConfig } from '../events/config.ts';
import { kindOf } from '../events/modes.ts';
import { withoutNamedOptions } from '../events/sent-options.ts';
import { defaultSettings, offersSetting, SETTING_NAMES, type SettingName } from '../events/settings.ts';
import type { JsonValue } from '../util/json.ts';
import { sortedJson } from '../util/sorted-json.ts';
import type { NewRun } from './create-run.ts';
import { withoutUnused } from './unused-fields.ts';

/** The settings of a run, with the names and units of `POST /api/runs`. */
export type RunSettings = Pick<NewRun, SettingName>;

/** Every setting of this kind of run, with its effective value. Pure. */
export function settingsOf(config: RunConfig): RunSettings {
  const values: Readonly<Record<string, JsonValue | undefined>> = {
    ...config,
    ...config.session,
    ...config.explore,
    call_timeout_seconds: config.call_timeout_ms / 1000,
    load_timeout_seconds: config.load_timeout_ms / 1000,
    model_options: withoutNamedOptions(config.model_options),
    parser_layers: config.parser_layers.length > 0 ? config.parser_layers : undefined,
  };
  const kind = kindOf(config);
  const names = SETTING_NAMES.filter((name) => offersSetting(kind, name));
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

/** The names of the settings in a request, for the log (`asked`). */
export function askedNames(request: object): string[] {
  return Object.keys(definedOf(request)).filter((name) => SETTING_NAMES.some((known) => known === name));
}

/** The fields that have a value. */
export function definedOf<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}

/**
 * The settings that were set explicitly, without defaults. Older logs do not record the difference: there, a value equal
 * to its default counts as not set. Those that have no effect, such as what a fork took over, are left out. Pure.
 */
export function askedSettings(config: RunConfig): RunSettings {
  const { asked, mode, agentic } = config;
  const defaults: Readonly<Record<string, JsonValue>> = defaultSettings(config);
  const set = Object.entries(settingsOf(config)).filter(([name, value]) => {
    if (value === undefined) return false;
    return asked ? asked.includes(name) : !isSame(value, defaults[name]);
  });
  const all = { ...Object.fromEntries(set), mode, agentic };
  const { mode: _mode, agentic: _agentic, ...used } = withoutUnused(all);
  return used;
}

function isSame(one: JsonValue, other: JsonValue | undefined): boolean {
  return other !== undefined && sortedJson(one) === sortedJson(other);
}

/** A time limit in a request, in seconds, converted to its form in a configuration. */
export function milliseconds(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000));
}
