import type { Compilable, Kysely } from 'kysely';
import {
  type ExperimentItem,
  type ExperimentSummary,
  experimentItem,
  experimentSummary,
} from '../api/experiment.ts';
import type { StoreTables } from './schema.ts';

/** The statements that store an experiment, or its new state, with the given items. */
export function savedExperiment(
  db: Kysely<StoreTables>,
  summary: ExperimentSummary,
  items: readonly ExperimentItem[],
): Compilable[] {
  const { id, created_at } = summary;
  const body = JSON.stringify(experimentSummary.parse(summary));
  return [
    db
      .insertInto('experiments')
      .values({ id, created_at, body })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ body })),
    ...items.map((item) => {
      const { position } = item;
      const values = { experiment_id: id, position, body: JSON.stringify(experimentItem.parse(item)) };
      return db
        .insertInto('experiment_items')
        .values(values)
        .onConflict((conflict) =>
          conflict.columns(['experiment_id', 'position']).doUpdateSet({ body: values.body }),
        );
    }),
  ];
}
