import Papa from 'papaparse';

export interface CsvTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Whether rows or columns were left out. */
  readonly isCut: boolean;
}

const MAX_ROWS = 500;
const MAX_COLUMNS = 40;

/**
 * Separated values as a table, whose first row is its head.
 *
 * @returns `undefined` for a text that is not a table: fewer than two columns or rows, or quotes that do not match
 */
export function readCsv(text: string, separator: ',' | '\t'): CsvTable | undefined {
  const { data, errors, meta } = Papa.parse<string[]>(text, {
    delimiter: separator,
    preview: MAX_ROWS + 1,
    skipEmptyLines: true,
  });
  const [head = [], ...rows] = data;
  const columns = Math.max(0, ...data.map(({ length }) => length));
  if (errors.some(({ type }) => type === 'Quotes') || columns < 2 || rows.length === 0) return undefined;
  return {
    head: head.slice(0, MAX_COLUMNS),
    rows: rows.map((row) => row.slice(0, MAX_COLUMNS)),
    isCut: meta.truncated || columns > MAX_COLUMNS,
  };
}
