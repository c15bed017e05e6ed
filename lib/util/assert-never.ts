/** Makes the compiler report a case that a `switch` misses; throws with the value at run time. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
