'use client';

import { useMemo } from 'react';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { type FileChange, fileChanges } from '#lib/events/file-changes.ts';
import type { TimelineRow } from '#lib/events/timeline.ts';
import { Button } from '../../ui/button.tsx';
import { ForeignName, ShortName } from '../../ui/foreign-name.tsx';

/** Files shown before the rest is only counted. */
const MAX_SHOWN = 12;

/**
 * The files that a run changed. Each opens as a diff; files that the log only names are just listed.
 *
 * @param written the paths named at the end of the run; older logs lack their content
 */
export function FileList({
  rows,
  written,
  onReview,
}: {
  rows: readonly TimelineRow[];
  written: readonly string[];
  /** Opens the changes at a file, by default at the first. */
  onReview: (path?: string) => void;
}) {
  const changes = useMemo(() => fileChanges(rows), [rows]);
  const ranCommands = useMemo(
    () => rows.some((row) => row.kind === 'tool' && row.name === 'run_command' && row.result?.success),
    [rows],
  );
  const known = new Set(changes.map(({ path }) => path));
  const others = written.filter((path) => !known.has(path) && !known.has(path.replace(/^(?:\.\/)+/, '')));
  const count = changes.length + others.length;
  if (count === 0) return null;
  return (
    <section aria-label="Files" className="mt-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="caption">{plural(count, 'file')} changed</h3>
        {changes.length > 0 && (
          <Button size="sm" className="print:hidden" onClick={() => onReview()}>
            Review changes
          </Button>
        )}
      </div>
      <ul className="mt-1.5 grid gap-0.5">
        {changes.slice(0, MAX_SHOWN).map((change) => (
          <li key={change.path}>
            <FileButton change={change} onOpen={() => onReview(change.path)} />
          </li>
        ))}
        {others.slice(0, Math.max(0, MAX_SHOWN - changes.length)).map((path) => (
          <li key={path}>
            <code className="foreign text-sm">
              <ForeignName text={path} isPath />
            </code>
          </li>
        ))}
      </ul>
      {count > MAX_SHOWN && (
        <p className="tnum mt-1 text-sm text-ink-3">and {formatCount(count - MAX_SHOWN)} more</p>
      )}
      {ranCommands && (
        <p className="mt-1 max-w-read text-sm text-ink-3">The run's commands may have changed other files.</p>
      )}
    </section>
  );
}

function FileButton({ change, onOpen }: { change: FileChange; onOpen: () => void }) {
  const { path, before, rows } = change;
  return (
    <button
      type="button"
      onClick={onOpen}
      className="reach inline-flex max-w-full flex-wrap items-baseline gap-x-2 text-left text-sm underline-offset-4 hover:underline"
    >
      <code className="foreign min-w-0 text-brass">
        <ShortName text={path} isPath />
      </code>
      <span className="text-xs text-ink-3">
        {before.kind === 'absent' ? 'new' : 'edited'}
        {rows.length > 1 && `, ${plural(rows.length, 'write')}`}
      </span>
    </button>
  );
}
