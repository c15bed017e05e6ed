'use client';

import { Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';

/**
 * An editable list of rows, each with a button that removes it.
 *
 * @param props.item what one row is, such as "folder"
 * @param props.note shown below the rows
 * @param props.fields the inputs of a row
 */
export function RowList<Row>({
  legend,
  item,
  rows,
  newRow,
  className,
  rowClassName,
  note,
  fields,
  onChange,
}: {
  legend: string;
  item: string;
  rows: readonly Row[];
  newRow: Row;
  className: string;
  rowClassName: string;
  note: ReactNode;
  fields: (row: Row, index: number, set: (change: Partial<Row>) => void) => ReactNode;
  onChange: (rows: Row[]) => void;
}) {
  const set = (index: number, change: Partial<Row>) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...change } : row)));
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      <div className={className}>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
          <div key={index} className={rowClassName}>
            {fields(row, index, (change) => set(index, change))}
            <Button
              kind="quiet"
              aria-label={`Remove ${item} ${index + 1}`}
              onClick={() => onChange(rows.filter((_, at) => at !== index))}
            >
              <X className="size-4" aria-hidden="true" />
            </Button>
          </div>
        ))}
        <Button size="sm" className="w-fit max-sm:h-11" onClick={() => onChange([...rows, newRow])}>
          <Plus className="size-3.5" aria-hidden="true" />
          Add a {item}
        </Button>
      </div>
      {note}
    </fieldset>
  );
}
