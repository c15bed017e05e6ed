'use client';

import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { RunListReply } from '#lib/api/replies.ts';
import type { RunOrder } from '#lib/api/run-order.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { getJson, toApiError } from '#lib/browser/api.ts';
import { say } from '#lib/browser/say.ts';
import type { ListedRun, RunGroup } from '#lib/browser/state/listed-runs.ts';
import {
  NOTHING_SELECTED,
  rangeOf,
  type Selection,
  withNewer,
  withoutRuns,
  withSelected,
} from '#lib/browser/state/selection.ts';
import { watchRuns } from '#lib/browser/stream/hub-client.ts';
import { isDialogOpen } from '#lib/browser/typing.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { MAX_SELECTED_RUNS } from '#lib/events/limits.ts';
import { cx } from '../ui/cx.ts';
import { FamilyRows, UnfoldButton } from './family-rows.tsx';
import { RunColumns } from './run-columns.tsx';
import { RunRow } from './run-row.tsx';
import { SelectionBar } from './selection-bar.tsx';

type Change = (selection: Selection) => Selection;

interface Selecting {
  selection: Selection;
  /** Selects or deselects a run, with `range` all rows since the last clicked one. */
  select: (run: RunSummary, options: { on: boolean; range: boolean }) => void;
  /** Selects or deselects all runs of a family, once they have been read. */
  selectFamily: (familyId: string, on: boolean) => void;
}

const SelectingContext = createContext<Selecting>({
  selection: NOTHING_SELECTED,
  select: () => undefined,
  selectFamily: () => undefined,
});

/** The runs in groups, with sortable columns; rows can be selected, and families unfolded. */
export function RunList({
  groups,
  order,
  onOrder,
}: {
  groups: readonly RunGroup[];
  order: RunOrder;
  onOrder: (order: RunOrder) => void;
}) {
  const [selection, setSelection] = useState(NOTHING_SELECTED);
  useEffect(() => watchChanges(setSelection), []);
  const last = useRef<string>(undefined);
  const rows = useMemo(() => groups.flatMap((group) => group.rows), [groups]);
  const select = useCallback<Selecting['select']>(
    (run, { on, range }) => {
      const between = range ? rangeOf(rows, last.current, run.id).map((row) => row.run) : [run];
      last.current = run.id;
      setSelection((before) => withSelected(before, between.length > 0 ? between : [run], on));
    },
    [rows],
  );
  const selectAll = useCallback((runs: readonly RunSummary[], on: boolean) => {
    setSelection((before) => withSelected(before, runs, on));
  }, []);
  // Clearing the selection also drops the answers that would add to it.
  const reading = useRef(new AbortController());
  const selectFamily = useCallback<Selecting['selectFamily']>(async (familyId, on) => {
    const { signal } = reading.current;
    const path = `/api/runs?family=${encodeURIComponent(familyId)}&limit=${MAX_SELECTED_RUNS}`;
    const meanwhile: Change[] = [];
    // What the stream reports until then is newer than the answer.
    const end = watchChanges((change) => meanwhile.push(change));
    try {
      const { runs } = await getJson<RunListReply>(path, signal);
      if (signal.aborted) return;
      setSelection((before) =>
        meanwhile.reduce((selection, change) => change(selection), withSelected(before, runs, on)),
      );
    } catch (error) {
      if (!signal.aborted) say(toApiError(error).message);
    } finally {
      end();
    }
  }, []);
  const selecting = useMemo(() => ({ selection, select, selectFamily }), [selection, select, selectFamily]);
  const clear = useCallback(() => {
    reading.current.abort();
    reading.current = new AbortController();
    setSelection(NOTHING_SELECTED);
  }, []);
  const shown = rows.map((row) => row.run);
  const all = shown.length > 0 && shown.every((run) => selection.has(run.id));
  return (
    <SelectingContext value={selecting}>
      <section
        aria-label="Runs"
        className="mt-4"
        onKeyDown={(event) => {
          // In a dialog, Escape closes only that.
          if (event.key === 'Escape' && !isDialogOpen()) clear();
          if (moveBetweenBoxes(event.target, event.key)) event.preventDefault();
        }}
      >
        <div className="flex items-center border-b border-line-strong">
          <SelectBox
            label="Select all shown runs"
            caption="Select all"
            checked={all}
            onChange={(on) => selectAll(shown, on)}
          />
          <span className="w-7 shrink-0 max-sm:hidden" />
          <div className="min-w-0 flex-1 px-2">
            <RunColumns order={order} onOrder={onOrder} />
          </div>
        </div>
        {groups.map((group) => (
          <Group key={group.title} group={group} />
        ))}
        <SelectionBar selection={selection} onClear={clear} onChange={setSelection} />
      </section>
    </SelectingContext>
  );
}

function Group({ group: { title, rows } }: { group: RunGroup }) {
  return (
    <section aria-label={title} className="mt-3 first-of-type:mt-0">
      <div className="flex items-baseline justify-between border-b py-1.5 pr-2 pl-2">
        <h2 className="caption">{title}</h2>
        <span className="tnum font-mono text-xs text-ink-3">{formatCount(rows.length)}</span>
      </div>
      <ul className="divide-y">
        {rows.map((row) => (
          <Row key={row.family?.id ?? row.run.id} row={row} />
        ))}
      </ul>
    </section>
  );
}

function Row({ row }: { row: ListedRun }) {
  const [open, setOpen] = useState(false);
  const { family } = row;
  return (
    <li>
      <SelectableRow row={row} start={family && <UnfoldButton row={row} open={open} onOpen={setOpen} />} />
      {family && open && (
        <FamilyRows familyId={family.id}>
          {(each) => <SelectableRow key={each.id} row={{ run: each }} />}
        </FamilyRows>
      )}
    </li>
  );
}

/** Passes on what the stream reports, as changes of a selection. @returns ends it */
function watchChanges(apply: (change: Change) => void): () => void {
  return watchRuns({
    runs: (runs) => apply((selection) => withNewer(selection, runs)),
    deleted: (runId) => apply((selection) => withoutRuns(selection, [runId])),
    signal: () => undefined,
  });
}

function SelectableRow({ row, start }: { row: ListedRun; start?: ReactNode }) {
  const { run } = row;
  const { selection, select, selectFamily } = useContext(SelectingContext);
  return (
    <div className="flex items-start">
      <SelectBox
        label={
          row.family
            ? `Select ${plural(row.family.runs, 'run')}: ${plainVisibleLine(row.family.experiment ?? run.title)}`
            : `Select: ${plainVisibleLine(run.title)}`
        }
        checked={selection.has(run.id)}
        onChange={(on, range) => (row.family ? selectFamily(row.family.id, on) : select(run, { on, range }))}
      />
      <span className={cx('w-7 shrink-0 max-sm:w-[44px]', !start && 'max-sm:hidden')}>{start}</span>
      <RunRow {...row} />
    </div>
  );
}

/** A check box that is large enough for touch. Shift selects all rows since the last one. */
function SelectBox({
  label,
  caption,
  checked,
  onChange,
}: {
  label: string;
  /** Shown beside the box where no columns are. */
  caption?: string;
  checked: boolean;
  onChange: (on: boolean, range: boolean) => void;
}) {
  return (
    <label className="flex h-11 shrink-0 items-center">
      <span className="grid w-9 place-items-center max-sm:w-[44px]">
        <input
          type="checkbox"
          data-select-run=""
          aria-label={label}
          checked={checked}
          onChange={() => undefined}
          onClick={(event) => onChange(event.currentTarget.checked, event.shiftKey)}
          className="size-4 accent-brass-fill"
        />
      </span>
      {caption && <span className="pr-2 text-sm text-ink-3 md:hidden">{caption}</span>}
    </label>
  );
}

/** Arrow keys go from box to box. Returns whether there was one to go to. */
function moveBetweenBoxes(target: EventTarget, key: string): boolean {
  if (!(target instanceof HTMLInputElement) || !('selectRun' in target.dataset)) return false;
  const way = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (way === 0) return false;
  const boxes = [...document.querySelectorAll<HTMLInputElement>('input[data-select-run]')];
  const next = boxes[boxes.indexOf(target) + way];
  next?.focus();
  return next !== undefined;
}
