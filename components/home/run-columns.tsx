'use client';

import { ArrowDown, ArrowUp } from 'lucide-react';
import { RUN_SORTS, type RunOrder, type RunSort } from '#lib/api/run-order.ts';
import { DURATION_HINT } from '#lib/browser/words/duration-hint.ts';
import { cx } from '../ui/cx.ts';

/** The columns of the run list by the width of the page. On phones a run is a card, with large text a stack. */
export const GRID =
  'grid grid-cols-[minmax(0,1fr)] gap-x-3 min-[20rem]:grid-cols-[minmax(0,1fr)_fit-content(40%)] md:grid-cols-[minmax(0,1fr)_10.5rem_4.5rem_5.5rem] lg:grid-cols-[minmax(0,1fr)_11rem_4.5rem_4.5rem_5.5rem] xl:grid-cols-[minmax(0,1fr)_10rem_9.5rem_7rem_4rem_3.5rem_2.75rem_5rem] min-[112.5rem]:grid-cols-[minmax(0,1fr)_13rem_15rem_14rem_6rem_6rem_4rem_6.5rem]';

/** The width from which a column is shown. */
export const SHOWN: Readonly<Record<RunSort, string>> = {
  title: '',
  outcome: '',
  model: 'max-xl:hidden',
  folder: 'max-xl:hidden',
  duration: 'max-md:hidden',
  tokens: 'max-lg:hidden',
  score: 'max-xl:hidden',
  created: '',
};

const COLUMNS: readonly { by: RunSort; right?: boolean; hint?: string }[] = [
  { by: 'title' },
  { by: 'outcome' },
  { by: 'model' },
  { by: 'folder' },
  { by: 'duration', right: true, hint: DURATION_HINT },
  { by: 'tokens', right: true },
  { by: 'score', right: true },
  { by: 'created', right: true },
];

/** The order after a click on a column: its own first, then the other direction. Pure. */
function nextOrder(order: RunOrder, by: RunSort): RunOrder {
  if (order.by !== by) return { by, direction: RUN_SORTS[by].first };
  return { by, direction: order.direction === 'asc' ? 'desc' : 'asc' };
}

/** The headings of the columns, which sort the list. */
export function RunColumns({ order, onOrder }: { order: RunOrder; onOrder: (order: RunOrder) => void }) {
  return (
    <div className={cx(GRID, 'min-w-0 flex-1 items-center max-md:hidden')}>
      {COLUMNS.map(({ by, right, hint }) => (
        <span key={by} className={cx('flex', right && 'justify-end', SHOWN[by])}>
          <SortButton {...{ by, hint, order, onOrder }} />
        </span>
      ))}
    </div>
  );
}

function SortButton({
  by,
  hint,
  order,
  onOrder,
}: {
  by: RunSort;
  hint: string | undefined;
  order: RunOrder;
  onOrder: (order: RunOrder) => void;
}) {
  const current = order.by === by;
  const { label } = RUN_SORTS[by];
  const Arrow = order.direction === 'asc' ? ArrowUp : ArrowDown;
  const way = order.direction === 'asc' ? 'ascending' : 'descending';
  return (
    <button
      type="button"
      onClick={() => onOrder(nextOrder(order, by))}
      title={hint}
      aria-label={`Sort by ${label.toLowerCase()}${current ? ` (now ${way})` : ''}`}
      className={cx('caption inline-flex h-8 items-center gap-1 hover:text-ink', current && 'text-ink')}
    >
      {label}
      {current && <Arrow className="size-3" aria-hidden="true" />}
    </button>
  );
}

/** The same choice for layouts without columns. */
export function SortSelect({ order, onOrder }: { order: RunOrder; onOrder: (order: RunOrder) => void }) {
  return (
    <label className="flex items-center gap-2 text-sm whitespace-nowrap text-ink-3 max-sm:basis-full md:hidden">
      Sort by
      <select
        value={`${order.by}:${order.direction}`}
        onChange={(event) => {
          const [by, direction] = event.target.value.split(':');
          const found = COLUMNS.find((column) => column.by === by);
          if (found) onOrder({ by: found.by, direction: direction === 'asc' ? 'asc' : 'desc' });
        }}
        className="field h-9 w-auto py-0 text-sm max-sm:h-11 max-sm:flex-1"
      >
        {COLUMNS.flatMap(({ by }) =>
          (['desc', 'asc'] as const).map((direction) => (
            <option key={`${by}:${direction}`} value={`${by}:${direction}`}>
              {`${RUN_SORTS[by].label} ${direction === 'asc' ? '↑' : '↓'}`}
            </option>
          )),
        )}
      </select>
    </label>
  );
}
