import { cx } from '../ui/cx.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';

/** The data behind a plot. The first column names the row, the others have its values. */
export interface TableData {
  readonly head: readonly string[];
  /** Computed only when the table is shown. */
  readonly rows: () => readonly TableRow[];
}

interface TableRow {
  readonly key: string;
  readonly cells: readonly string[];
}

/** More rows are left out: a table of thousands is slow to draw, and the log can be exported. */
const MAX_ROWS = 500;

export function PlotTable({ title, table }: { title: string; table: TableData }) {
  const rows = table.rows();
  const shown = rows.slice(0, MAX_ROWS);
  return (
    <ScrollRegion
      label={`${title}: table`}
      className="mt-1 max-h-80 overflow-auto rounded-md border print:max-h-none"
    >
      <table className="tnum w-full border-collapse text-xs">
        <thead className="sticky top-0 bg-sunken">
          <tr>
            {table.head.map((name, index) => (
              <th
                key={name}
                scope="col"
                className={cx(
                  'px-2 py-1 font-medium whitespace-nowrap',
                  index === 0 ? 'text-left' : 'text-right',
                )}
              >
                <ForeignText text={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {shown.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) =>
                index === 0 ? (
                  <th key={table.head[index]} scope="row" className="px-2 py-1 text-left font-normal">
                    <ForeignText text={cell} />
                  </th>
                ) : (
                  <td key={table.head[index]} className="px-2 py-1 text-right font-mono whitespace-nowrap">
                    <ForeignText text={cell} />
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown.length && (
        <p className="px-2 py-1 text-xs text-ink-3">
          The first {MAX_ROWS} of {rows.length} rows.
        </p>
      )}
    </ScrollRegion>
  );
}
