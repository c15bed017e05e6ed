import { runKinds } from '../../events/modes.ts';
import { isRecord, jsonValue } from '../../util/json.ts';
import { keysOf } from '../../util/records.ts';
import { type DraftSuite, type ExperimentDraft, emptyExperiment } from './experiment-draft.ts';
import { isText } from './kept-fields.ts';
import { isDraftCheck } from './kept-settings.ts';

type KeptField = Exclude<keyof ExperimentDraft, 'confirmed'>;

/** All but the confirmation of many runs, which is given again. */
const KEPT_FIELDS = keysOf(emptyExperiment).filter((name): name is KeptField => name !== 'confirmed');

/** The entries in an experiment's form, as text; empty if there are none. Pure. */
export function experimentText(draft: ExperimentDraft): string {
  const changed = KEPT_FIELDS.filter(
    (name) => JSON.stringify(draft[name]) !== JSON.stringify(emptyExperiment[name]),
  );
  return changed.length === 0
    ? ''
    : JSON.stringify(Object.fromEntries(changed.map((name) => [name, draft[name]])));
}

/** The fields in such a text. Another version may have written it: what this form could not show is left out. Pure. */
export function readExperimentText(text: string): Partial<ExperimentDraft> {
  const read = jsonValue(text);
  if (!isRecord(read)) return {};
  const names = KEPT_FIELDS.filter((name) => Object.hasOwn(read, name) && fits(name, read[name]));
  return Object.fromEntries(names.map((name) => [name, read[name]]));
}

function fits(name: KeptField, value: unknown): boolean {
  switch (name) {
    case 'work':
      return value === 'task' || value === 'suite';
    case 'mode':
      return isMode(value);
    case 'suite':
      return isDraftSuite(value);
    case 'checks':
      return Array.isArray(value) && value.every(isDraftCheck);
    case 'models':
    case 'tags':
      return isTexts(value);
    default:
      return typeof value === typeof emptyExperiment[name];
  }
}

function isDraftSuite(value: unknown): value is DraftSuite {
  if (!isRecord(value) || !isRecord(value.reference) || !isText(value.name)) return false;
  const { id, shipped } = value.reference;
  return (
    (isText(id) || isText(shipped)) &&
    Array.isArray(value.cases) &&
    value.cases.every((one) => isRecord(one) && isMode(one.mode) && isTexts(one.tags))
  );
}

function isMode(value: unknown): boolean {
  return runKinds.some((kind) => kind === value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}
