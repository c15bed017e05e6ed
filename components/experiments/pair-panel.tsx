'use client';

import { useState } from 'react';
import type { ExperimentCell, PairsReply, RunPair } from '#lib/api/experiment-cells.ts';
import { ofChosenCells } from '#lib/browser/state/cell-pair.ts';
import { formatCount, formatPercent } from '#lib/browser/words/format.ts';
import { pairCount, pairsWords, pointsWords, repeatsNote } from '#lib/browser/words/pair-words.ts';
import { type ApiState, useVersioned } from '../hooks/use-api.ts';
import { Problem } from '../shell/problem.tsx';
import { Link } from '../ui/link.tsx';
import { cellName } from './cell-plots.tsx';

/** With more cells, their number is entered: a list of thousands would be slow to draw. */
const MAX_CHOICES = 200;

/** Two cells, by number, and how their runs compare. */
export interface ComparedCells {
  a: number;
  b: number;
  choose: (cells: { a: number; b: number }) => void;
  /** May be the comparison of the cells that were chosen before. */
  read: ApiState<PairsReply>;
}

/**
 * Compares two cells, at first the first two.
 *
 * @param done runs with a result: compared again with each; `undefined` reads nothing
 */
export function useComparedCells(path: string, done: number | undefined): ComparedCells {
  const [{ a, b }, choose] = useState({ a: 1, b: 2 });
  const read = useVersioned<PairsReply>(`${path}/pairs?a=${a}&b=${b}`, a === b ? undefined : done);
  return { a, b, choose, read };
}

/** Two cells compared by their runs with the same case, seed and repeat. */
export function PairPanel({
  cells,
  compared: { a, b, choose, read },
}: {
  cells: readonly ExperimentCell[];
  compared: ComparedCells;
}) {
  const { error, reload } = read;
  const data = ofChosenCells(read.data, { a, b });
  const areSame = a === b;
  return (
    <section aria-labelledby="compare-cells" className="mt-8">
      <h2 id="compare-cells" className="font-semibold">
        Compare two cells
      </h2>
      <div className="mt-2 grid gap-2 sm:grid-cols-2">
        <CellChoice label="First cell" cells={cells} value={a} onChange={(a) => choose({ a, b })} />
        <CellChoice label="Second cell" cells={cells} value={b} onChange={(b) => choose({ a, b })} />
      </div>
      {areSame && <p className="mt-2 text-sm text-ink-3">Choose two different cells.</p>}
      {!areSame && error && !data && <Problem error={error} onRetry={reload} />}
      {!areSame && !data && !error && (
        <p className="mt-2 text-sm text-ink-3" aria-busy="true">
          Comparing…
        </p>
      )}
      {data && <Verdict reply={data} />}
    </section>
  );
}

function CellChoice({
  label,
  cells,
  value,
  onChange,
}: {
  label: string;
  cells: readonly ExperimentCell[];
  value: number;
  onChange: (cell: number) => void;
}) {
  if (cells.length > MAX_CHOICES) {
    return (
      <input
        type="number"
        aria-label={`${label}, 1 to ${cells.length}`}
        className="field tnum font-mono text-sm max-sm:h-11"
        min={1}
        max={cells.length}
        value={value}
        onChange={({ target }) => target.validity.valid && onChange(target.valueAsNumber)}
      />
    );
  }
  return (
    <select
      aria-label={label}
      className="field min-w-0 font-mono text-xs max-sm:h-11"
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
    >
      {cells.map((cell) => (
        <option key={cell.cell} value={cell.cell}>
          {cellName(cell)}
        </option>
      ))}
    </select>
  );
}

function Verdict({ reply }: { reply: PairsReply }) {
  const { both, only_a, only_b, neither, difference, p_value, pairs } = reply;
  if (!difference) {
    return (
      <p className="mt-2 text-sm text-ink-3">
        No two runs with the same case, seed and repeat have a result in both cells.
      </p>
    );
  }
  const total = pairCount(reply);
  const note = repeatsNote(reply);
  return (
    <div className="mt-3 text-sm">
      <p className="tnum text-lg font-semibold tracking-[-0.01em]">
        {pointsWords(difference.value)} percentage points
        <span className="ml-2 text-sm font-normal text-ink-2">
          95% interval {pointsWords(difference.low)} to {pointsWords(difference.high)}
          {p_value !== undefined && (
            <>
              ,{' '}
              <span className="whitespace-nowrap">
                p {p_value < 0.001 ? '< 0.001' : `= ${p_value.toFixed(3)}`}
              </span>{' '}
              (exact McNemar)
            </>
          )}
        </span>
      </p>
      <p className="tnum mt-1 text-ink-2">
        {pairsWords(reply)}: both passed in {formatCount(both)}, neither in {formatCount(neither)}, only the
        first in {formatCount(only_a)}, only the second in {formatCount(only_b)}. Pass rates{' '}
        {formatPercent((both + only_a) / total)} and {formatPercent((both + only_b) / total)}.
      </p>
      {note && <p className="mt-1 max-w-read text-ink-3">{note}</p>}
      <PairLinks label="Only the first passed" pairs={pairs.only_a} />
      <PairLinks label="Only the second passed" pairs={pairs.only_b} />
    </div>
  );
}

function PairLinks({ label, pairs }: { label: string; pairs: readonly RunPair[] }) {
  if (pairs.length === 0) return null;
  return (
    <p className="mt-1 flex flex-wrap items-baseline gap-x-3 gap-y-1">
      <span className="text-ink-3">{label}:</span>
      {pairs.map(({ a, b }, index) => (
        <Link
          key={a}
          href={`/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`}
          aria-label={`${label}, pair ${index + 1}: compare its runs`}
          className="min-w-6 py-0.75 font-mono text-xs text-brass underline-offset-4 hover:underline max-sm:min-h-11 max-sm:min-w-11 max-sm:py-3"
        >
          {index + 1}
        </Link>
      ))}
    </p>
  );
}
