/** A function that computes its result once per object. Objects must not change after they are passed. */
export function memoized<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>();
  return (key) => {
    let entry = known.get(key);
    if (!entry) {
      entry = { value: compute(key) };
      known.set(key, entry);
    }
    return entry.value;
  };
}
