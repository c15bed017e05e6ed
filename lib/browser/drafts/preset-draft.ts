import { namedOptions } from '../../api/named-options.ts';
import type { PresetRun } from '../../api/preset.ts';
import { definedOf, type RunSettings } from '../../api/run-settings.ts';
import { DEFAULT_MODE, kindOf } from '../../events/modes.ts';
import { defaultSettings, SETTING_NAMES } from '../../events/settings.ts';
import { escapePlaceholders } from '../../util/placeholders.ts';
import { type DraftProblems, draftFrom, type RunDraft, requestOf } from './run-draft.ts';

/** The form as a preset fills it in; the placeholders of its task are still blank. Pure. */
export function draftOfPreset(run: PresetRun): RunDraft {
  const { mode = DEFAULT_MODE, agentic = true } = run;
  const own: RunSettings = Object.fromEntries(SETTING_NAMES.map((name) => [name, run[name]]));
  const asked: RunSettings = definedOf({ ...own, ...namedOptions(run) });
  return {
    ...draftFrom({
      kind: kindOf({ mode, agentic }),
      task: run.task ?? '',
      model: run.model ?? '',
      workspace: run.workspace,
      workspace_copy: run.workspace === undefined || run.workspace_copy === true,
      asked,
      effective: { ...defaultSettings({ mode, agentic, ...asked }), ...asked },
    }),
    placeholders: {},
  };
}

/** A placeholder for fields that a preset may leave empty and a run may not. */
const OPEN = 'open';

/**
 * The fields of a preset that fills in this form again; task and model may be open. Pure.
 *
 * @param isTemplate whether names in braces in the task are placeholders; otherwise they are text
 */
export function presetRunOf(
  draft: RunDraft,
  { isTemplate }: { isTemplate: boolean },
): { ok: true; run: PresetRun } | { ok: false; problems: DraftProblems } {
  const { task, model } = draft;
  const read = requestOf({ ...draft, placeholders: null, task: task.trim() || OPEN, model: model || OPEN });
  if (!read.ok) return read;
  const template = isTemplate ? task.trim() : escapePlaceholders(task.trim());
  const run = definedOf({
    ...read.request,
    task: template === '' || read.request.task === undefined ? undefined : template,
    model: model || undefined,
  });
  return { ok: true, run: run as PresetRun };
}
