import type { RatedPart } from '../../api/rating.ts';
import type { RunSummary } from '../../api/run-summary.ts';
import { isRecord } from '../../util/json.ts';
import { RATED_PARTS } from '../words/rating-words.ts';
import { isNumber, isText, type KeptFields, listOf, oneOf, valuesOf } from './kept-fields.ts';

/** What identifies a run in a list of choices. */
export type ChosenRun = Pick<RunSummary, 'id' | 'title' | 'model' | 'created_at'>;

/** A new rating as the form holds it. */
export interface RatingDraft {
  name: string;
  /** The name of a questionnaire that ships, or empty for a custom one. */
  source: string;
  text: string;
  part: RatedPart;
  runs: readonly ChosenRun[];
  models: readonly string[];
}

export const KEPT_RATING: KeptFields<RatingDraft> = {
  ...{ name: isText, source: isText, text: isText },
  part: oneOf(RATED_PARTS),
  runs: listOf(isChosenRun),
  models: listOf(isText),
};

/** The unsaved entries of a person who rates: scores by the run of the text, and by item. */
export interface PersonDraft {
  person: string;
  scores: Record<string, Record<string, number>>;
}

export const KEPT_PERSON: KeptFields<PersonDraft> = { person: isText, scores: valuesOf(valuesOf(isNumber)) };

function isChosenRun(value: unknown): value is ChosenRun {
  return isRecord(value) && [value.id, value.title, value.model].every(isText) && isNumber(value.created_at);
}
