import { z } from 'zod';

const bodyRow = z.object({ body: z.string() });

/** The column `body` of a row. */
export function bodyFromRow(row: unknown): string {
  return bodyRow.parse(row).body;
}

/** The JSON in the column `body` of a row. */
export function valueFromRow(row: unknown): unknown {
  return JSON.parse(bodyFromRow(row));
}
