/** A value of a table; `undefined` and `null` make an empty cell. */
export type CsvValue = string | number | undefined | null;

/** A table as CSV (RFC 4180). */
export function csvText(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/** One value. Text that a spreadsheet would run as a formula gets an apostrophe in front, because it may come from models. */
export function csvCell(value: CsvValue): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
