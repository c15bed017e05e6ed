'use client';

import { useMemo } from 'react';
import { readCsv } from '#lib/browser/content/csv.ts';
import { plural } from '#lib/browser/words/format.ts';
import { cx } from '../cx.ts';
import { ShortName } from '../foreign-name.tsx';
import { ForeignText } from '../foreign-text.tsx';
import { ScrollGroup } from '../scroll-region.tsx';

const MAX_CELL_CHARS = 200;

/** Separated values as a table, or as text if they cannot be parsed. */
export function CsvView({ text, separator }: { text: string; separator: ',' | '\t' }) {
  const table = useMemo(() => readCsv(text, separator), [text, separator]);
  if (!table) {
    return (
      <pre className="foreign m-0 leading-relaxed">
        <ForeignText text={text} />
      </pre>
    );
  }
  return (
    <div className="min-w-0">
      <ScrollGroup
        label="Table"
        className="max-h-[min(28rem,60dvh)] overflow-auto rounded-sm border bg-surface"
      >
        <table className="tnum w-full border-collapse text-left">
          <thead className="sticky top-0 bg-sunken">
            <tr>
              {table.head.map((name, index) => (
                <th
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns of a table never move
                  key={index}
                  className={cx(
                    'foreign border-b px-2 py-1 font-semibold',
                    isNumber(table.rows[0]?.[index] ?? '') && 'text-right',
                  )}
                >
                  {name === '' ? '–' : <ShortName text={name} />}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a table never move
              <tr key={index} className="border-b last:border-b-0">
                {row.map((cell, column) => (
                  <td
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns of a table never move
                    key={column}
                    className={cx('foreign max-w-80 px-2 py-0.5 align-top', isNumber(cell) && 'text-right')}
                  >
                    <ShortName text={cell} max={MAX_CELL_CHARS} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollGroup>
      <p className="mt-1 font-sans text-xs text-ink-3">
        {table.isCut
          ? `The first ${plural(table.rows.length, 'row')} and ${plural(table.head.length, 'column')}. Raw has the rest.`
          : `${plural(table.rows.length, 'row')}, ${plural(table.head.length, 'column')}`}
      </p>
    </div>
  );
}

function isNumber(cell: string): boolean {
  return /^-?\d[\d.,]{0,30}%?$/.test(cell);
}
