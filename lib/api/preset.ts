import { z } from 'zod';
import { runMode } from '../events/config.ts';
import { MAX_TASK_CHARS } from '../events/limits.ts';
import { placeholderNames } from '../util/placeholders.ts';
import { VISIBLE_LINE } from '../util/visible-line.ts';
import { contradictions, runFields } from './create-run.ts';
import { withoutAddedRules } from './tools.ts';
import { withoutUnused } from './unused-fields.ts';

export const MAX_PRESETS = 200;
const MAX_PRESET_NAME_CHARS = 80;
/** The mark of a file with a preset. */
export const PRESET_FORMAT = 'loupe-preset/1';

const presetName = z
  .string()
  .trim()
  .min(1, 'Enter a name.')
  .max(MAX_PRESET_NAME_CHARS)
  .regex(VISIBLE_LINE, 'A name must be one line of visible characters.');

/** The fields of `POST /api/runs` that a preset sets. Its task is a template: `{name}` is filled in for each run. */
const presetFields = runFields
  .omit({ images: true })
  // Without the defaults of a request: what is missing is filled in when a run is started.
  .extend({ mode: runMode, agentic: z.boolean(), task: z.string().trim().max(MAX_TASK_CHARS) })
  .partial();
export type PresetRun = z.output<typeof presetFields>;

/** A preset need not be complete: a run that it starts may have further settings. */
const PART = { isComplete: false };

const presetBody = z.strictObject({
  /** Marks the content of a preset file, which may come from anyone: a folder that it names is left out. */
  format: z.literal(PRESET_FORMAT).optional(),
  name: presetName,
  run: presetFields,
});

/** Reports the contradictions between the fields of a preset. What a file has without effect is left out instead. */
function checkPreset({ format, run }: Partial<z.output<typeof presetBody>>, context: z.RefinementCtx): void {
  for (const [field, message] of contradictions(
    format && run ? withoutUnused(run, PART) : (run ?? {}),
    PART,
  )) {
    context.addIssue({ code: 'custom', path: ['run', field], message });
  }
}

/** Body of `POST /api/presets`. */
export const presetRequest = presetBody.superRefine(checkPreset);
export type PresetRequest = z.output<typeof presetRequest>;

/** Body of `POST /api/presets/{id}`: without settings, those that it has stay. */
export const presetUpdate = presetBody.partial({ run: true }).superRefine(checkPreset);
export type PresetUpdate = z.output<typeof presetUpdate>;

/** A preset as it is stored. */
export const presetRecord = z.object({
  id: z.string(),
  name: z.string(),
  // Rules between fields may be newer than the preset; the run that it starts is held to them.
  run: presetFields,
  created_at: z.int().nonnegative(),
  updated_at: z.int().nonnegative(),
});
export type PresetRecord = z.output<typeof presetRecord>;

export interface Preset extends PresetRecord {
  /** The names to fill in for each run. */
  placeholders: string[];
}

export interface PresetListReply {
  presets: Preset[];
}

export interface PresetReply {
  preset: Preset;
  /** Fields of a preset file that were not taken over. */
  left_out?: string[];
}

/** A stored preset, without fields that have no effect: an earlier version may have stored them. */
export function asPreset({ run, ...record }: PresetRecord): Preset {
  return { ...record, run: withoutUnused(run, PART), placeholders: placeholderNames(run.task ?? '') };
}

/**
 * The content of a preset file. It leaves out folders, which mean nothing on another machine, rules that let calls of MCP
 * servers run without approval, and fields that have no effect.
 */
export function presetFile({ name, run }: Pick<PresetRecord, 'name' | 'run'>): PresetRequest {
  const { workspace: _folder, workspace_copy: _copy, approval, ...others } = withoutUnused(run, PART);
  const rules = approval === undefined ? {} : { approval: withoutAddedRules(approval) };
  return { format: PRESET_FORMAT, name, run: { ...others, ...rules } };
}
