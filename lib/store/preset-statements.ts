import type { Kysely } from 'kysely';
import { type PresetRecord, presetRecord } from '../api/preset.ts';
import { nameKey } from '../util/name-key.ts';
import { valueFromRow } from './body-row.ts';
import type { PresetChange } from './preset-store.ts';
import type { StoreTables } from './schema.ts';

/** Selects a preset. */
export function presetOf(db: Kysely<StoreTables>, id: string) {
  return db.selectFrom('presets').select('body').where('id', '=', id);
}

/** Selects another preset with the same name. */
export function presetNamesakeOf(db: Kysely<StoreTables>, { id, name }: PresetRecord) {
  return db.selectFrom('presets').select('id').where('name_key', '=', nameKey(name)).where('id', '!=', id);
}

/** Stores a new preset. May run twice. */
export function createdPreset(db: Kysely<StoreTables>, preset: PresetRecord) {
  const { id, created_at } = preset;
  return db
    .insertInto('presets')
    .values({ id, created_at, ...valuesOf(preset) })
    .onConflict((conflict) => conflict.column('id').doNothing());
}

/** Stores the new state of a preset. */
export function updatedPreset(db: Kysely<StoreTables>, preset: PresetRecord) {
  return db.updateTable('presets').set(valuesOf(preset)).where('id', '=', preset.id);
}

function valuesOf(preset: PresetRecord) {
  return { name_key: nameKey(preset.name), body: JSON.stringify(presetRecord.parse(preset)) };
}

/** A stored preset with its change, or `undefined` if there is none. @param row the result of `presetOf` */
export function changedPreset(row: unknown, change: PresetChange): PresetRecord | undefined {
  if (row === undefined) return undefined;
  const stored = presetRecord.parse(valueFromRow(row));
  return { ...stored, ...change, run: change.run ?? stored.run };
}
