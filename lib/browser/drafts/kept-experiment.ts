import { runKinds } from '../../events/modes.ts';
import { isRecord } from '../../util/json.ts';
import { type DraftSuite, type ExperimentDraft, emptyExperiment } from './experiment-draft.ts';
import {
  fieldsText,
  isSwitch,
  isText,
  type KeptFields,
  listOf,
  oneOf,
  readFieldsText,
} from './kept-fields.ts';
import { isDraftCheck } from './kept-settings.ts';

const isMode = oneOf(runKinds);
const isTexts = listOf(isText);

/** All but the confirmation of many runs, which is given again. */
const KEPT_FIELDS: KeptFields<Omit<ExperimentDraft, 'confirmed'>> = {
  name: isText,
  work: oneOf(['task', 'suite']),
  suite: isDraftSuite,
  tags: isTexts,
  mode: isMode,
  task: isText,
  workspace: isText,
  models: isTexts,
  checks: listOf(isDraftCheck),
  temperatures: isText,
  factors: isText,
  seeds: isText,
  repeats: isText,
  cycles: isText,
  diversity: isSwitch,
};

/** The entries in an experiment's form, as text; empty if there are none. Pure. */
export function experimentText(draft: ExperimentDraft): string {
  return fieldsText(KEPT_FIELDS, draft, emptyExperiment);
}

/** The fields in such a text. Another version may have written it: what this form could not show is left out. Pure. */
export function readExperimentText(text: string): Partial<ExperimentDraft> {
  return readFieldsText(KEPT_FIELDS, text);
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
