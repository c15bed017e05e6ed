import type { Preset } from '../api/preset.ts';
import { withoutUnused } from '../api/unused-fields.ts';
import { AppError } from '../errors/app-error.ts';
import { isRecord } from '../util/json.ts';
import { nearestName } from '../util/nearest-name.ts';
import { fillIn } from '../util/placeholders.ts';
import { readFields } from './arguments.ts';
import { usage } from './options.ts';

/** Options whose fields are merged with those of a preset, one by one. */
const MERGED = ['budget', 'model_options'] as const;

/**
 * The body of `POST /api/runs` for a preset: its fields, with the options of the command line in their place and the
 * placeholders filled in. Pure.
 *
 * @param options.body the fields that options set
 * @param options.fields the pairs of `--set`: one that is named like a placeholder is its text, others are fields as JSON
 * @throws {AppError} `usage`
 */
export function runOfPreset(
  presets: readonly Preset[],
  {
    preset: wanted,
    body,
    fields,
  }: { preset: string; body: Record<string, unknown>; fields: readonly (readonly [string, string])[] },
): Record<string, unknown> {
  const preset = presetNamed(presets, wanted);
  const { run } = preset;
  // A task given as an option is not a template, so there is nothing to fill in.
  const names = body.task === undefined ? preset.placeholders : [];
  const values = new Map(fields.filter(([key]) => names.includes(key)));
  const blank = names.filter((name) => !values.get(name)?.trim());
  if (blank.length > 0) {
    throw usage(
      `The preset "${preset.name}" needs ${blank.map((name) => `--set ${name}=TEXT`).join(' and ')}.`,
    );
  }
  const set = fields.filter(([key]) => !names.includes(key));
  const given = { ...body, ...readFields(set, body) };
  const merged = MERGED.flatMap((name) => {
    const [before, after] = [run[name], given[name]];
    return isRecord(before) && isRecord(after) ? [[name, { ...before, ...after }]] : [];
  });
  const task = run.task === undefined ? {} : { task: fillIn(run.task, values) };
  const request = { ...run, ...task, ...given, ...Object.fromEntries(merged) };
  // What the preset sets may have no effect with other options; what options set is refused by the server.
  return { ...withoutUnused(request), ...given, ...Object.fromEntries(merged) };
}

function presetNamed(presets: readonly Preset[], wanted: string): Preset {
  const found =
    presets.find(({ name }) => name === wanted) ??
    presets.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found) return found;
  const names = presets.map(({ name }) => name);
  const nearest = nearestName(wanted, names);
  throw new AppError({
    code: 'usage',
    message: `There is no preset "${wanted}"${nearest ? `; did you mean "${nearest}"?` : '.'}`,
    hint: names.length > 0 ? `Presets: ${names.join(', ')}` : 'Save one in the form for a new run.',
  });
}
