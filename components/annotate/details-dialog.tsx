'use client';

import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { AnnotationChange } from '#lib/api/run-annotations.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { type DetailsDraft, detailsChange, detailsOf } from '#lib/browser/drafts/details-draft.ts';
import { MAX_NOTE_CHARS, MAX_TITLE_CHARS } from '#lib/events/limits.ts';
import { useReload } from '../hooks/use-api.ts';
import type { RequestState } from '../hooks/use-request.ts';
import { useWhileMounted } from '../hooks/use-while-mounted.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DialogHeader } from '../ui/dialog-header.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field, Switch } from '../ui/form/fields.tsx';
import { ScoreField } from './score-field.tsx';
import { TagField } from './tag-field.tsx';

/** Edits the annotations of a run: title, tags, score, note, pin and archive. */
export function DetailsDialog({
  run,
  request: { busy, problem },
  onClose,
  onSave,
}: {
  run: RunSummary;
  request: Pick<RequestState, 'busy' | 'problem'>;
  onClose: () => void;
  /** Resolves to whether it was saved. */
  onSave: (change: AnnotationChange) => Promise<boolean>;
}) {
  const heading = useId();
  // The run may change while the dialog is open, in another tab.
  const [opened, setOpened] = useState(() => detailsOf(run));
  const [draft, setDraft] = useState(opened);
  const [tried, setTried] = useState(false);
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  }, [draft]);
  const edit = (changes: Partial<DetailsDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const reload = useReload();
  const close = useWhileMounted(onClose);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const change = detailsChange(opened, draft);
    if (!change) return onClose();
    if (busy) return;
    setTried(true);
    if (!(await onSave(change))) return;
    reload('/api/facets');
    // What was typed meanwhile is not saved yet.
    if (latest.current === draft) close();
    else setOpened(draft);
  };
  return (
    <Dialog open onClose={onClose} keepsOnEscape="typed" aria-labelledby={heading} className="w-[30rem] p-5">
      <form onSubmit={(event) => void save(event)} className="grid gap-4">
        <DialogHeader id={heading} title="Edit details" />
        <Field label="Title" hint="Leave empty to use the run's own title.">
          {(props) => (
            <input
              {...props}
              className="field"
              value={draft.title}
              maxLength={MAX_TITLE_CHARS}
              autoComplete="off"
              onChange={(event) => edit({ title: event.target.value })}
            />
          )}
        </Field>
        <TagField label="Tags" tags={draft.tags} onChange={(tags) => edit({ tags })} />
        <div>
          <span className="mb-1 block text-sm font-medium">Score</span>
          <ScoreField score={draft.score} onChange={(score) => edit({ score: score ?? undefined })} />
        </div>
        <Field label="Note">
          {(props) => (
            <textarea
              {...props}
              className="field min-h-24"
              value={draft.note}
              maxLength={MAX_NOTE_CHARS}
              onChange={(event) => edit({ note: event.target.value })}
            />
          )}
        </Field>
        <div className="flex flex-wrap gap-x-8 gap-y-3">
          <Switch label="Pinned" checked={draft.pinned} onChange={(pinned) => edit({ pinned })} />
          <Switch label="Archived" checked={draft.archived} onChange={(archived) => edit({ archived })} />
        </div>
        {tried && problem && <ErrorNote error={problem} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={busy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
