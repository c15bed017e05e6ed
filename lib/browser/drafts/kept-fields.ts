import { isRecord, jsonValue } from '../../util/json.ts';
import { keysOf } from '../../util/records.ts';

type Guard<Value> = (value: unknown) => value is Value;

/** The fields of a form that are kept, and whether a value is one that the form can show. */
export type KeptFields<Draft> = { readonly [Field in keyof Draft]: Guard<Draft[Field]> };

/** The fields that differ from those of an empty form, as text; empty if none does. Pure. */
export function fieldsText<Kept extends object>(kept: KeptFields<Kept>, draft: Kept, empty: Kept): string {
  const changed = keysOf<keyof Kept & string>(kept).filter((name) => !isSame(draft[name], empty[name]));
  return changed.length === 0
    ? ''
    : JSON.stringify(Object.fromEntries(changed.map((name) => [name, draft[name]])));
}

/** The fields in such a text. Another version may have written it: what this form could not show is left out. Pure. */
export function readFieldsText<Kept extends object>(kept: KeptFields<Kept>, text: string): Partial<Kept> {
  const read = jsonValue(text);
  if (!isRecord(read)) return {};
  const names = keysOf<keyof Kept & string>(kept).filter(
    (name) => Object.hasOwn(read, name) && kept[name](read[name]),
  );
  return Object.fromEntries(names.map((name) => [name, read[name]])) as Partial<Kept>;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

export function isSwitch(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

export function oneOf<Value extends string>(values: readonly Value[]): Guard<Value> {
  return (value): value is Value => values.some((each) => each === value);
}

export function listOf<Item>(isItem: Guard<Item>): Guard<Item[]> {
  return (value): value is Item[] => Array.isArray(value) && value.every(isItem);
}

export function valuesOf<Value>(isValue: Guard<Value>): Guard<Record<string, Value>> {
  return (value): value is Record<string, Value> => isRecord(value) && Object.values(value).every(isValue);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
