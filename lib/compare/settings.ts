import type { RunConfig } from '../events/config.ts';
import { withoutNamedOptions } from '../events/sent-options.ts';
import type { JsonValue } from '../util/json.ts';
import { sortedJson } from '../util/sorted-json.ts';

/** A setting that differs between two configurations; a missing side means not set. */
export interface SettingChange {
  name: string;
  before?: JsonValue;
  after?: JsonValue;
}

/**
 * The settings that differ, with model options listed individually. Ignores workspace, title, and which settings were
 * defaults. Pure.
 */
export function settingChanges(before: RunConfig, after: RunConfig): SettingChange[] {
  const old = flat(before);
  const now = flat(after);
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].sort().flatMap((name) => {
    const [was, is] = [old[name], now[name]];
    if (was === is || (was !== undefined && is !== undefined && sortedJson(was) === sortedJson(is)))
      return [];
    return [
      { name, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) },
    ];
  });
}

function flat(config: RunConfig): Record<string, JsonValue | undefined> {
  const {
    model_options,
    explore,
    session,
    workspace: _folder,
    title: _title,
    asked: _asked,
    ...rest
  } = config;
  return JSON.parse(
    JSON.stringify({ ...rest, ...withoutNamedOptions(model_options), ...explore, ...session }),
  );
}
