import type { RatedPart, RatingResults, RatingStudy } from '../../api/rating.ts';
import { formatFixed } from '../../util/format-fixed.ts';
import { formatCount, plural } from '../../util/numbers.ts';
import { keysOf } from '../../util/records.ts';
import { shortLine } from './visible-text.ts';

/** What of a run is rated. */
export const RATED_PART_WORDS: Readonly<Record<RatedPart, string>> = {
  output: 'The last output',
  reflections: 'All reflections',
  last_cycle: 'All texts of the last cycle',
};
export const RATED_PARTS = keysOf(RATED_PART_WORDS);

/** A text of a rating in a table: its number, the title of its run, and its model, which a long title does not cut off. */
export function ratedTextName(
  { title, model }: Pick<RatingStudy['subjects'][number], 'title' | 'model'>,
  index: number,
): string {
  return `${index + 1}. ${shortLine(title, 60)} · ${shortLine(model, 80)}`;
}

/** A score, or the mean of several. */
export function scoreWords(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : formatFixed(value, 1);
}

/** How far raters agree. */
export function agreementWords(value: number | null | undefined): string {
  return value === null || value === undefined ? 'not measured' : formatFixed(value, 2);
}

/** The texts behind the measures of agreement. Pure. */
export function agreementTexts(
  { paired, complete }: Pick<RatingResults, 'paired' | 'complete'>,
  total: number,
): string {
  return `Alpha uses the ${formatCount(paired)} of ${plural(total, 'text')} that at least two raters rated, the ICCs the ${formatCount(complete)} that all raters rated.`;
}

/** Why a measure of agreement is missing, and what would make it possible; `undefined` if none is. Pure. */
export function missingAgreement({
  raters,
  alpha,
  paired,
  icc,
  complete,
}: Pick<RatingResults, 'raters' | 'alpha' | 'paired' | 'icc' | 'complete'>): string | undefined {
  if (raters.length < 2) return 'Agreement is measured as soon as there are two raters.';
  const areMeasured = icc && [icc.agreement, icc.consistency, icc.meanAgreement].every(Number.isFinite);
  if (alpha !== null && areMeasured) return undefined;
  if (paired === 0)
    return 'Alpha needs a text that two raters rated, the ICCs two texts that all raters rated.';
  if (complete < 2) {
    return alpha === null
      ? 'Alpha is not measured: all scores are equal, so agreement cannot be told from chance. The ICCs need two texts that all raters rated.'
      : 'The ICCs need two texts that all raters rated.';
  }
  if (icc) return 'Where an ICC is not measured, the mean scores of the texts differ too little for it.';
  return alpha === null
    ? 'Not measured: all scores are equal, so agreement cannot be told from chance.'
    : 'The ICCs are not measured: the texts that all raters rated have equal scores.';
}
