/** Makes the compiler list what a `switch` forgot; at run time it names the value. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
