'use client';

import { useMemo } from 'react';
import { forkMemories } from '#lib/browser/drafts/fork-draft.ts';
import { cx } from '../ui/cx.ts';
import type { ForkPart } from './fork-part.ts';
import { TextItem } from './text-item.tsx';

/** The memory at the fork point: change, delete, add. */
export function ForkMemories(part: ForkPart) {
  const { point, draft, problems, onChange } = part;
  const memories = useMemo(() => forkMemories(point), [point]);
  const { newMemory } = draft;
  return (
    <section aria-label="Memory">
      <h3 className="caption mb-1.5">Memory at this point</h3>
      {memories.length > 0 && (
        <ul className="divide-y rounded-md border border-line-strong">
          {memories.map((each) => {
            const deleted = draft.deleted.includes(each.key);
            return (
              <TextItem
                key={each.key}
                {...part}
                item={each}
                action={
                  <button
                    type="button"
                    className={cx(
                      'shrink-0 text-xs underline-offset-2 hover:underline',
                      deleted ? 'font-medium text-fail' : 'text-ink-3',
                    )}
                    onClick={() =>
                      onChange({
                        deleted: deleted
                          ? draft.deleted.filter((key) => key !== each.key)
                          : [...draft.deleted, each.key],
                      })
                    }
                  >
                    {deleted ? 'will be deleted, keep it' : 'delete'}
                  </button>
                }
              />
            );
          })}
        </ul>
      )}
      <div className="mt-2 grid gap-2 sm:grid-cols-[12rem_minmax(0,1fr)]">
        <input
          aria-label="Key of a new memory"
          placeholder="new key"
          className="field font-mono text-sm"
          value={newMemory.key}
          onChange={(event) => onChange({ newMemory: { ...newMemory, key: event.target.value } })}
        />
        <input
          aria-label="Value of a new memory"
          placeholder="value"
          className="field text-sm"
          value={newMemory.value}
          onChange={(event) => onChange({ newMemory: { ...newMemory, value: event.target.value } })}
        />
      </div>
      {problems.newMemory && <p className="mt-1 text-xs text-fail">{problems.newMemory}</p>}
    </section>
  );
}
