import type { Compilable, Kysely } from 'kysely';
import { type ModelPrice, modelPrice } from '../events/config.ts';
import { bodyFromRow } from './body-row.ts';
import type { PriceChange } from './model-store.ts';
import type { StoreTables } from './schema.ts';

/** Selects the price of a model. */
export function priceOf(db: Kysely<StoreTables>, model: string) {
  return db.selectFrom('model_prices').select('body').where('model', '=', model);
}

/** The statement that makes a change if its base is current. `undefined` if the model has no price and gets none. */
export function changedPrice(
  db: Kysely<StoreTables>,
  model: string,
  { price, base }: PriceChange,
): Compilable | undefined {
  if (price === null) {
    const deleted = db.deleteFrom('model_prices').where('model', '=', model);
    if (base === undefined) return deleted;
    return base === null ? undefined : deleted.where('body', '=', bodyOf(base));
  }
  const body = bodyOf(price);
  if (base) {
    const updated = db.updateTable('model_prices').set({ body }).where('model', '=', model);
    return updated.where('body', '=', bodyOf(base));
  }
  return db
    .insertInto('model_prices')
    .values({ model, body })
    .onConflict((conflict) => {
      const known = conflict.column('model');
      return base === undefined ? known.doUpdateSet({ body }) : known.doNothing();
    });
}

/** Whether the stored price is the one that a change was to set. The same change may be stored again. */
export function isPrice(row: unknown, price: ModelPrice | null): boolean {
  return row === undefined ? price === null : price !== null && bodyFromRow(row) === bodyOf(price);
}

function bodyOf(price: ModelPrice): string {
  return JSON.stringify(modelPrice.parse(price));
}
