/** The address of a row, without the filters of this page: opened, it shows all rows. Also works in a file on disk. */
export function linkToRow(seq: number): string {
  const address = new URL(location.href);
  address.search = '';
  address.hash = String(seq);
  return address.href;
}
