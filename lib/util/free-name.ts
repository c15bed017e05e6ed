/**
 * The name with the lowest number that makes it unique, if it isn't.
 *
 * @param taken the keys of the other names
 * @param keyOf what two names cannot share
 */
export function freeName(name: string, taken: ReadonlySet<string>, keyOf: (name: string) => string): string {
  let free = name;
  for (let number = 2; taken.has(keyOf(free)); number += 1) free = `${name.slice(0, 70)} (${number})`;
  return free;
}
