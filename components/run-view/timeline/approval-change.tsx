'use client';

import { useEffect, useMemo, useState } from 'react';
import { formatBytes } from '#lib/browser/words/format.ts';
import { changeOfCall, type EventText, wholeText } from '#lib/events/file-changes.ts';
import type { ToolRow } from '#lib/events/timeline.ts';
import { FileDiff } from '../../ui/content/file-diff.tsx';
import { useRunSource } from '../run-context.tsx';
import { useRunScreen } from '../screen-context.ts';

/** The change that a waiting call would make to its file, compared with the file when the call was requested. */
export function ApprovalChange({ row }: { row: ToolRow }) {
  const store = useRunSource();
  // The rows before a call do not change, so later rows need no update.
  const change = useMemo(() => changeOfCall(store.view.getState().timeline.rows, row), [store, row]);
  const before = useWholeText(change?.before.kind === 'text' ? change.before : undefined);
  const after = useWholeText(change?.after);
  if (!change || !row.file) return null;
  if (!change.after && change.before.kind !== 'unknown') {
    return <p className="text-sm text-warn">The edits do not fit the file. The call would change nothing.</p>;
  }
  const { before: held } = change;
  if (held.kind === 'binary' || held.kind === 'unknown') {
    const { before: kept } = row.file;
    const size = kept.kind === 'not_kept' ? kept.size_bytes : undefined;
    return (
      <p className="text-sm text-warn">
        The call replaces a file{size !== undefined && ` of ${formatBytes(size)}`}, whose content cannot be
        shown here.
      </p>
    );
  }
  if (after === undefined || (held.kind === 'text' && before === undefined)) {
    return <p className="text-sm text-ink-3">Loading the full texts…</p>;
  }
  return <FileDiff path={change.path} before={before} after={after} />;
}

/** A text in full: fetched if the page has only a part of it. */
function useWholeText(from: EventText | undefined): string | undefined {
  const { whole } = useRunScreen();
  const [fetched, setFetched] = useState<string>();
  useEffect(() => {
    if (!from?.cut || !whole) return;
    let current = true;
    wholeText(from, whole.value).then(
      (text) => current && setFetched(text),
      // The part that is here is still shown among the arguments.
      () => current && setFetched(undefined),
    );
    return () => {
      current = false;
    };
  }, [whole, from]);
  return from?.cut ? fetched : from?.text;
}
