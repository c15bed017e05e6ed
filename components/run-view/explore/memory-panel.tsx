'use client';

import { useMemo } from 'react';
import { useStore } from 'zustand';
import { MEMORY_WITHHELD, type MemoryKey, memoryAt } from '#lib/browser/state/explore-view.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { isMemoryWithheld } from '#lib/events/cycle-table.ts';
import { cx } from '../../ui/cx.ts';
import { RowLink } from '../../ui/event-link.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { useRun } from '../run-context.tsx';
import { useRunScreen, useUnfolded } from '../screen-context.ts';
import { LongText } from '../timeline/long-text.tsx';
import { Disclosure } from '../timeline/row-frame.tsx';

/** The memory at the end of any cycle, with the changes of each key and the calls that made them. */
export function MemoryPanel() {
  const changes = useRun((view) => view.timeline.cycles.changes);
  const last = useRun((view) => view.run.cycle.number);
  const { reading } = useRunScreen();
  const chosen = useStore(reading, (state) => state.cycle);
  const cycle = Math.min(chosen ?? last, last);
  const keys = useMemo(() => memoryAt(changes, cycle), [changes, cycle]);
  if (isMemoryWithheld(changes)) return <p className="mt-2 text-sm text-ink-3">{MEMORY_WITHHELD}</p>;
  const there = keys.filter(({ value }) => value !== undefined).length;
  return (
    <>
      <label htmlFor="memory-cycle" className="mt-3 block text-sm text-ink-2">
        At the end of cycle <span className="tnum font-mono">{formatCount(cycle)}</span>
        <span className="text-ink-3">: {plural(there, 'key')}</span>
      </label>
      {last > 1 && (
        <input
          id="memory-cycle"
          type="range"
          min={1}
          max={last}
          value={cycle}
          onChange={(event) => {
            const value = Number(event.target.value);
            reading.setState({ cycle: value === last ? undefined : value });
          }}
          className="mt-1 w-full accent-brass-fill"
        />
      )}
      {keys.length === 0 && <p className="mt-2 text-sm text-ink-3">No memories yet.</p>}
      <ul className="mt-2 divide-y">
        {keys.map((entry) => (
          <KeyLine key={entry.key} entry={entry} />
        ))}
      </ul>
    </>
  );
}

function KeyLine({ entry }: { entry: MemoryKey }) {
  const [open, toggle] = useUnfolded(`memory:${entry.key}`);
  const { goTo } = useRunScreen();
  const deleted = entry.value === undefined;
  return (
    <li className="min-w-0 py-2">
      <Disclosure open={open} onToggle={toggle} className="w-full">
        <code className={cx('min-w-0 truncate text-sm font-semibold', deleted && 'text-ink-3 line-through')}>
          <ForeignText text={entry.key} />
        </code>
        <span className="tnum ml-auto shrink-0 font-mono text-xs text-ink-3">
          {deleted ? 'deleted' : plural(entry.writes, 'write')}
        </span>
      </Disclosure>
      {!open && !deleted && (
        <p className="foreign mt-0.5 line-clamp-2 pl-3.5 text-sm text-ink-2">
          <ForeignText text={(entry.value ?? '').slice(0, 400)} />
        </p>
      )}
      {open && (
        <ol className="mt-1.5 grid gap-2 border-l border-line-strong pl-3">
          {entry.history.toReversed().map((change) => (
            <li key={change.seq} className="min-w-0 text-sm">
              <p className="tnum flex items-baseline gap-2 text-xs text-ink-3">
                Cycle {formatCount(change.cycle)}
                <RowLink
                  seq={change.seq}
                  onGo={goTo}
                  className="reach text-brass underline-offset-2 hover:underline"
                >
                  {change.callId === undefined ? 'at the fork' : `call ${change.callId}`}
                </RowLink>
              </p>
              {change.value === undefined ? (
                <p className="text-ink-3">deleted</p>
              ) : (
                <LongText
                  id={`memory.${change.seq}.${change.key}`}
                  text={change.value}
                  label="value"
                  className="[&_pre]:font-sans [&_pre]:text-sm"
                />
              )}
            </li>
          ))}
        </ol>
      )}
    </li>
  );
}
