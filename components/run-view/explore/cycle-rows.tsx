'use client';

import { callsOf, toolsByUse } from '#lib/browser/plots/explore-series.ts';
import { formatBothTokens, formatCount, formatPercent, formatShortCount } from '#lib/browser/words/format.ts';
import type { CycleRow, CycleTable } from '#lib/events/cycle-table.ts';
import { RowLink } from '../../ui/event-link.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';

/** More tools share a column. */
const MAX_TOOLS = 12;

/** The cycles of an exploration as a table. Its region scrolls, and the cycle stays in view. */
export function CycleRows({
  label,
  table: { rows },
  onGo,
}: {
  label: string;
  table: CycleTable;
  /** Opens the event that started a cycle; without it, the numbers are not links. */
  onGo?: (seq: number) => void;
}) {
  const tools = toolsByUse(rows);
  const own = tools.slice(0, MAX_TOOLS);
  const others = tools.slice(MAX_TOOLS);
  const head = [
    'Calls',
    ...own,
    ...(others.length > 0 ? [`${formatCount(others.length)} others`] : []),
    ...['Memory keys', 'Memory chars', 'Tokens in', 'Tokens out', 'Messages', 'Novelty', 'Diversity'],
  ];
  return (
    <ScrollRegion label={label} className="max-h-96 overflow-auto rounded-md border print:max-h-none">
      <table className="tnum w-full border-collapse text-xs">
        <thead className="sticky top-0 z-10 bg-sunken">
          <tr>
            <th scope="col" className="sticky left-0 bg-sunken px-2 py-1 text-left font-medium">
              Cycle
            </th>
            {head.map((name) => (
              <th key={name} scope="col" className="px-2 py-1 text-right font-medium whitespace-nowrap">
                <ForeignText text={name.slice(0, 40)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {rows.map((row) => (
            <tr key={row.cycle}>
              <th scope="row" className="sticky left-0 bg-surface px-2 py-1 text-left font-normal">
                {onGo ? (
                  <RowLink
                    seq={row.seq}
                    onGo={onGo}
                    className="font-medium text-brass underline-offset-2 hover:underline"
                  >
                    {formatCount(row.cycle)}
                  </RowLink>
                ) : (
                  formatCount(row.cycle)
                )}
              </th>
              {cellsOf(row, own, others).map((cell, index) => (
                <td key={head[index]} className="px-2 py-1 text-right font-mono whitespace-nowrap">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function cellsOf(row: CycleRow, own: readonly string[], others: readonly string[]): string[] {
  const failed = row.failed_tool_calls > 0 ? ` (${formatCount(row.failed_tool_calls)} failed)` : '';
  return [
    `${formatCount(row.tool_calls)}${failed}`,
    ...own.map((name) => formatCount(callsOf(row, name))),
    ...(others.length > 0 ? [formatCount(others.reduce((sum, name) => sum + callsOf(row, name), 0))] : []),
    row.memory_keys === undefined
      ? ''
      : `${formatCount(row.memory_keys)}${growthWords(row.memory_keys_growth)}`,
    row.memory_chars === undefined
      ? ''
      : `${formatShortCount(row.memory_chars)}${growthWords(row.memory_chars_growth)}`,
    ...formatBothTokens(row, formatShortCount),
    formatCount(row.messages),
    row.novelty === undefined ? '' : formatPercent(row.novelty),
    row.diversity === undefined ? '' : formatPercent(row.diversity),
  ];
}

function growthWords(growth = 0): string {
  if (growth === 0) return '';
  return growth > 0 ? ` +${formatShortCount(growth)}` : ` −${formatShortCount(-growth)}`;
}
