import { APPROVAL_CHOICES } from '../../events/approval-choices.ts';
import { runKinds } from '../../events/modes.ts';
import { OPERATOR_POLICIES, TIERS } from '../../events/settings.ts';
import { isRecord, jsonObject } from '../../util/json.ts';
import { keysOf, recordOf } from '../../util/records.ts';
import { type DraftCheck, isCheckChoice } from './check-draft.ts';
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
type Guard<Value> = (value: unknown) => value is Value;

/** The kept fields, and whether a value is one that the form can show. */
const KEPT_FIELDS: { readonly [Field in KeptField]: Guard<RunDraft[Field]> } = {
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
const KEPT_NAMES = keysOf(KEPT_FIELDS);

/** The settings of a draft that differ from those of an empty form, as text; empty if none does. Pure. */
export function settingsText(draft: RunDraft): string {
  const changed = KEPT_NAMES.filter((name) => !isSame(draft[name], emptyDraft[name]));
  return changed.length === 0
    ? ''
    : JSON.stringify(Object.fromEntries(changed.map((name) => [name, draft[name]])));
}

/** The settings in such a text. Another version may have written it: what this form could not show is left out. Pure. */
export function readSettingsText(text: string): Partial<RunDraft> {
  const read = jsonObject(text) ?? {};
  const names = KEPT_NAMES.filter((name) => Object.hasOwn(read, name) && KEPT_FIELDS[name](read[name]));
  return Object.fromEntries(names.map((name) => [name, read[name]]));
}

function oneOf<Value extends string>(values: readonly Value[]): Guard<Value> {
  return (value): value is Value => values.some((each) => each === value);
}

function listOf<Item>(isItem: Guard<Item>): Guard<Item[]> {
  return (value): value is Item[] => Array.isArray(value) && value.every(isItem);
}

function valuesOf<Value>(isValue: Guard<Value>): Guard<Record<string, Value>> {
  return (value): value is Record<string, Value> => isRecord(value) && Object.values(value).every(isValue);
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

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isSwitch(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
