/**
 * The names in a record, as its type knows them. For records that are declared in full: TypeScript gives the names of any
 * object as `string[]`, because it may have more properties than its type says.
 */
export function keysOf<Key extends string>(record: { readonly [Name in Key]?: unknown }): Key[] {
  return Object.keys(record) as Key[];
}

/** A record with a value for each name. */
export function recordOf<Key extends string, Value>(
  names: readonly Key[],
  value: (name: Key) => Value,
): Record<Key, Value> {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Key, Value>;
}
