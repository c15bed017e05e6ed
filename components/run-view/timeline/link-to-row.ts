/** The address of a row. Opened, it shows all rows, without the filters of this page. */
export function linkToRow(seq: number): string {
  return `${location.origin}${location.pathname}#${seq}`;
}
