/** A name that a person chose, as the start of a file name that fits into a header. */
export function nameInHeader(name: string, fallback: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') || fallback;
}
