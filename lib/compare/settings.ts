import type { RunConfig } from '../events/config.ts';
import { withoutNamedOptions } from '../events/sent-options.ts';
import type { JsonValue } from '../util/json.ts';
import { fullName } from '../util/model-name.ts';
import { sortedJson } from '../util/sorted-json.ts';

/** A setting that differs between two configurations; a missing side means not set. */
export interface SettingChange {
  name: string;
  before?: JsonValue;
  after?: JsonValue;
}

/** A setting that differs between several configurations. */
export interface SettingDifference {
  name: string;
  /** In the order of the configurations; `undefined`, in JSON `null`, means not set. */
  values: (JsonValue | undefined)[];
}

/** The settings that differ between two configurations, like `settingDifferences`. Pure. */
export function settingChanges(before: RunConfig, after: RunConfig): SettingChange[] {
  return settingDifferences([before, after]).map(({ name, values: [was, is] }) => ({
    name,
    ...(was === undefined ? {} : { before: was }),
    ...(is === undefined ? {} : { after: is }),
  }));
}

/**
 * The settings that differ, by name, with model options listed individually. Ignores folders, title, and which
 * settings were defaults. Pure.
 */
export function settingDifferences(configs: readonly RunConfig[]): SettingDifference[] {
  const all = configs.map(flat);
  return [...new Set(all.flatMap(Object.keys))].sort().flatMap((name) => {
    const values = all.map((each) => each[name]);
    return new Set(values.map((value) => comparable(name, value))).size > 1 ? [{ name, values }] : [];
  });
}

function comparable(name: string, value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  return sortedJson(name === 'model' && typeof value === 'string' ? fullName(value) : value);
}

function flat(config: RunConfig): Record<string, JsonValue | undefined> {
  const {
    model_options,
    explore,
    session,
    workspace: _folder,
    copied_from: _original,
    title: _title,
    asked: _asked,
    ...rest
  } = config;
  return JSON.parse(
    JSON.stringify({ ...rest, ...withoutNamedOptions(model_options), ...explore, ...session }),
  );
}
