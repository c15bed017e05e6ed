import type { RatedText, RatingResults, RatingStudy } from '../api/rating.ts';
import { intraclassCorrelations, krippendorffAlpha } from '../statistics/agreement.ts';
import type { CsvValue } from '../util/csv.ts';
import { mean } from '../util/mean.ts';

/** The matrix of raters and texts, with the agreement of the raters. Pure. */
export function ratingResults(
  { models, subjects, questionnaire: { items, scale } }: RatingStudy,
  rated: readonly RatedText[],
): RatingResults {
  const people = [...new Set(rated.map(({ rater }) => rater))].filter((name) => !models.includes(name));
  const raters = [
    ...models.map((name) => ({ name, kind: 'model' as const })),
    ...people.map((name) => ({ name, kind: 'person' as const })),
  ];
  const byKey = new Map(rated.map((each) => [`${each.rater}\n${each.run_id}`, each.scores]));
  const scoresOf = (rater: string, runId: string) => byKey.get(`${rater}\n${runId}`);
  const turned = (item: (typeof items)[number], scores: Record<string, number> | undefined) => {
    const score = scores?.[item.id];
    if (score === undefined) return undefined;
    return item.reversed ? scale.min + scale.max - score : score;
  };
  const matrix = raters.map(({ name }) =>
    subjects.map(({ run_id: runId }) => {
      const scores = scoresOf(name, runId);
      return mean(items.flatMap((item) => turned(item, scores) ?? []));
    }),
  );
  const units = subjects.map((_, column) => matrix.map((row) => row[column]));
  const complete = units.flatMap((unit) => {
    const values = unit.filter((value) => value !== undefined);
    return values.length > 0 && values.length === raters.length ? [values] : [];
  });
  return {
    raters,
    matrix: matrix.map((row) => row.map((value) => value ?? null)),
    means: units.map((unit) => mean(unit.filter((value) => value !== undefined)) ?? null),
    items: items.map((item) => {
      const ofItem = subjects.map(({ run_id: runId }) =>
        raters.map(({ name }) => turned(item, scoresOf(name, runId))),
      );
      return {
        id: item.id,
        text: item.text,
        alpha: krippendorffAlpha(ofItem, scale.level) ?? null,
        means: ofItem.map((unit) => mean(unit.filter((value) => value !== undefined)) ?? null),
      };
    }),
    // Means of several items lie between the steps of the scale, so their distances count.
    alpha: krippendorffAlpha(units, items.length === 1 ? scale.level : 'interval') ?? null,
    paired: units.filter((unit) => unit.filter((value) => value !== undefined).length > 1).length,
    icc: intraclassCorrelations(complete) ?? null,
    complete: complete.length,
  };
}

/** The scores as given, as CSV rows. Pure. */
export function ratingCells(study: RatingStudy, rated: readonly RatedText[]): CsvValue[][] {
  const modelOf = new Map(study.subjects.map(({ run_id, model }) => [run_id, model]));
  return [
    ['study', 'rater', 'kind', 'run_id', 'model', 'item', 'reversed', 'score'],
    ...rated.flatMap(({ rater, run_id: runId, scores }) =>
      study.questionnaire.items.map(({ id, reversed }): CsvValue[] => [
        ...[study.name, rater, study.models.includes(rater) ? 'model' : 'person', runId],
        ...[modelOf.get(runId), id, reversed ? 'yes' : 'no', scores[id]],
      ]),
    ),
  ];
}
