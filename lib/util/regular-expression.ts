/** Compiles a regular expression; `undefined` if it is invalid. */
export function regularExpression(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}
