'use client';

import { type FormEvent, useId, useState } from 'react';
import { type Selection, tagsOf } from '#lib/browser/state/selection.ts';
import { plural } from '#lib/browser/words/format.ts';
import { TagField } from '../annotate/tag-field.tsx';
import type { RequestState } from '../hooks/use-request.ts';
import { useWhileMounted } from '../hooks/use-while-mounted.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DialogHeader } from '../ui/dialog-header.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';

/** Adds tags to the selected runs, and removes those that some of them have. */
export function TagsDialog({
  selection,
  request: { busy, problem },
  onClose,
  onSave,
}: {
  selection: Selection;
  request: Pick<RequestState, 'busy' | 'problem'>;
  onClose: () => void;
  /** Resolves to whether it was saved. */
  onSave: (change: { add_tags: readonly string[]; remove_tags: readonly string[] }) => Promise<boolean>;
}) {
  const heading = useId();
  const [added, setAdded] = useState<readonly string[]>([]);
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const present = tagsOf(selection);
  const close = useWhileMounted(onClose);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (await onSave({ add_tags: added, remove_tags: [...removed] })) close();
  };
  const toggle = (tag: string, keep: boolean) => {
    const next = new Set(removed);
    if (keep) next.delete(tag);
    else next.add(tag);
    setRemoved(next);
  };
  return (
    <Dialog open onClose={onClose} keepsOnEscape="typed" aria-labelledby={heading} className="w-96 p-5">
      <form onSubmit={(event) => void save(event)} className="grid gap-4">
        <DialogHeader id={heading} title={`Tag ${plural(selection.size, 'run')}`} />
        <TagField label="Add tags" tags={added} onChange={setAdded} />
        {present.length > 0 && (
          <fieldset>
            <legend className="mb-1 text-sm font-medium">Current tags</legend>
            <ul className="grid max-h-48 gap-1 overflow-y-auto">
              {present.map(({ tag, runs }) => (
                <li key={tag}>
                  <label className="flex min-h-8 items-center gap-2 text-sm">
                    <input
                      type="checkbox"
                      checked={!removed.has(tag)}
                      onChange={(event) => toggle(tag, event.target.checked)}
                      className="size-4 accent-brass-fill"
                    />
                    <span className="foreign min-w-0 truncate">
                      <ForeignText text={tag} />
                    </span>
                    <span className="tnum ml-auto font-mono text-xs text-ink-3">
                      {`${runs} of ${selection.size}`}
                    </span>
                  </label>
                </li>
              ))}
            </ul>
          </fieldset>
        )}
        {problem && <ErrorNote error={problem} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={busy || added.length + removed.size === 0}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
