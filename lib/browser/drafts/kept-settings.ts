import { runKinds } from '../../events/modes.ts';
import { ITERATION_LIMITS, OPERATOR_POLICIES } from '../../events/settings.ts';
import { jsonValue } from '../../util/json.ts';
import { isCheckChoice } from './check-draft.ts';
import { APPROVAL_CHOICES, emptyDraft, type RunDraft } from './run-draft.ts';

/** The task is kept apart, images are too large, and the others are only filled in from presets and earlier runs. */
const NOT_KEPT: readonly string[] = ['task', 'images', 'placeholders', 'otherOptions', 'otherSettings'];
const KEPT_FIELDS = (Object.keys(emptyDraft) as (keyof RunDraft)[]).filter(
  (name) => !NOT_KEPT.includes(name),
);

const APPROVALS: readonly unknown[] = APPROVAL_CHOICES;
const CHOICES: Partial<Record<keyof RunDraft, readonly unknown[]>> = {
  kind: runKinds,
  workspaceKind: ['fresh', 'folder'],
  tier: Object.keys(ITERATION_LIMITS),
  stall_guard: ['usual', 'on', 'off'],
  think: ['off', 'on', 'low', 'medium', 'high'],
  operator_policy: OPERATOR_POLICIES,
};

/** The settings of a draft that differ from those of an empty form, as text; empty if none does. Pure. */
export function settingsText(draft: RunDraft): string {
  const changed = KEPT_FIELDS.filter((name) => !isSame(draft[name], emptyDraft[name]));
  return changed.length === 0
    ? ''
    : JSON.stringify(Object.fromEntries(changed.map((name) => [name, draft[name]])));
}

/** The settings in such a text. Another version may have written it: what this form could not show is left out. Pure. */
export function readSettingsText(text: string): Partial<RunDraft> {
  const read = jsonValue(text);
  if (!isObject(read)) return {};
  const names = KEPT_FIELDS.filter((name) => Object.hasOwn(read, name) && fits(name, read[name]));
  return Object.fromEntries(names.map((name) => [name, read[name]]));
}

function fits(name: keyof RunDraft, value: unknown): boolean {
  const choices = CHOICES[name];
  if (choices) return choices.includes(value);
  if (name === 'approval') {
    return isObject(value) && Object.values(value).every((choice) => APPROVALS.includes(choice));
  }
  if (name === 'checks') return Array.isArray(value) && value.every(isDraftCheck);
  if (Array.isArray(emptyDraft[name])) return Array.isArray(value) && value.every(isText);
  return typeof value === typeof emptyDraft[name];
}

export function isDraftCheck(value: unknown): boolean {
  if (!isObject(value) || !isText(value.choice) || !isObject(value.texts)) return false;
  return (
    isCheckChoice(value.choice) &&
    Object.values(value.texts).every(isText) &&
    typeof value.caseSensitive === 'boolean'
  );
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
