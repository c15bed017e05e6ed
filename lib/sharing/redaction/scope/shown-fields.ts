import { keysOf } from '../../../util/records.ts';

/** What is shown of a field: its value, another one in its place, or nothing. */
type FieldRule<Value, Whole> = (value: Exclude<Value, undefined>, whole: Whole) => Value;

/** A rule for each field: without one, a new field does not compile. Only an optional field can be left out. */
export type FieldRules<Whole> = {
  readonly [Field in keyof Whole]-?: FieldRule<Whole[Field], Whole>;
};

/** The rule for a field that is shown as it is. */
export const shown = <Value>(value: Value): Value => value;

/** The rule for an optional field that is not shown. */
export const omitted = (): undefined => undefined;

/** Shows the fields of a value by their rules. A field without a rule never passes. */
export function shownFields<Whole extends object>(whole: Whole, rules: FieldRules<Whole>): Whole {
  const result: Partial<Whole> = {};
  for (const field of keysOf<keyof Whole & string>(rules)) {
    const value = whole[field];
    const seen = isGiven(value) ? rules[field](value, whole) : undefined;
    if (seen !== undefined) result[field] = seen;
  }
  // Each rule returns what its field may hold, and only optional ones return nothing.
  return result as Whole;
}

function isGiven<Value>(value: Value): value is Exclude<Value, undefined> {
  return value !== undefined;
}
