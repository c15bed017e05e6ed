import { APPROVAL_CHOICES } from '../../events/approval-choices.ts';
import { runKinds } from '../../events/modes.ts';
import { OPERATOR_POLICIES, TIERS } from '../../events/settings.ts';
import { isRecord } from '../../util/json.ts';
import { recordOf } from '../../util/records.ts';
import { type DraftCheck, isCheckChoice } from './check-draft.ts';
import {
  fieldsText,
  isSwitch,
  isText,
  type KeptFields,
  listOf,
  oneOf,
  readFieldsText,
  valuesOf,
} from './kept-fields.ts';
import { NUMBER_FIELD_NAMES } from './number-fields.ts';
import {
  emptyDraft,
  PLAIN_SWITCHES,
  type RunDraft,
  STALL_GUARD_CHOICES,
  WORKSPACE_KINDS,
} from './run-draft.ts';
import { THINK_WORDS } from './think-word.ts';

/** The task is kept apart, images are too large, and the others are only filled in from presets and earlier runs. */
type KeptField = Exclude<
  keyof RunDraft,
  'task' | 'images' | 'placeholders' | 'otherOptions' | 'otherSettings'
>;

/** The kept fields, and whether a value is one that the form can show. */
const KEPT_FIELDS: KeptFields<Pick<RunDraft, KeptField>> = {
  ...recordOf(NUMBER_FIELD_NAMES, () => isText),
  ...recordOf(PLAIN_SWITCHES, () => isSwitch),
  kind: oneOf(runKinds),
  model: isText,
  workspaceKind: oneOf(WORKSPACE_KINDS),
  workspace: isText,
  workspace_copy: isSwitch,
  tier: oneOf(TIERS),
  stall_guard: oneOf(STALL_GUARD_CHOICES),
  think: oneOf(THINK_WORDS),
  withheldTools: listOf(isText),
  addedTools: listOf(isText),
  fetch_hosts: isText,
  approval: valuesOf(oneOf(APPROVAL_CHOICES)),
  checks: listOf(isDraftCheck),
  answer_schema: isText,
  keep_alive: isText,
  system: isText,
  untilStopped: isSwitch,
  diversity: isSwitch,
  embeddingModel: isText,
  operator_policy: oneOf(OPERATOR_POLICIES),
  operator_replies: isText,
  operator_model: isText,
  operator_prompt: isText,
};

/** The settings of a draft that differ from those of an empty form, as text; empty if none does. Pure. */
export function settingsText(draft: RunDraft): string {
  return fieldsText(KEPT_FIELDS, draft, emptyDraft);
}

/** The settings in such a text. Another version may have written it: what this form could not show is left out. Pure. */
export function readSettingsText(text: string): Partial<RunDraft> {
  return readFieldsText(KEPT_FIELDS, text);
}

export function isDraftCheck(value: unknown): value is DraftCheck {
  return (
    isRecord(value) &&
    isText(value.choice) &&
    isCheckChoice(value.choice) &&
    valuesOf(isText)(value.texts) &&
    isSwitch(value.caseSensitive)
  );
}
