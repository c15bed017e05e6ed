/** The code of a system error or of one of Node's, such as `ENOENT`; `undefined` for any other error. */
export function errno(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
