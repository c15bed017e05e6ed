'use client';

import { type FormEvent, useId, useState } from 'react';
import type { AnnotatedReply } from '#lib/api/replies.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { patchJson } from '#lib/browser/api.ts';
import { type DetailsDraft, detailsChange, detailsOf } from '#lib/browser/drafts/details-draft.ts';
import { MAX_NOTE_CHARS, MAX_TITLE_CHARS } from '#lib/events/limits.ts';
import { useReload } from '../hooks/use-api.ts';
import { useRequest } from '../hooks/use-request.ts';
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
  onClose,
  onSaved,
}: {
  run: RunSummary;
  onClose: () => void;
  onSaved?: (run: RunSummary) => void;
}) {
  const heading = useId();
  // The run may change while the dialog is open, in another tab.
  const [opened] = useState(() => detailsOf(run));
  const [draft, setDraft] = useState(opened);
  const edit = (changes: Partial<DetailsDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const { busy, problem, run: ask } = useRequest();
  const reload = useReload();
  const close = useWhileMounted(onClose);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const change = detailsChange(opened, draft);
    if (!change) return onClose();
    const saved = await ask(async () => {
      const reply = await patchJson<AnnotatedReply>(`/api/runs/${encodeURIComponent(run.id)}`, change);
      reload('/api/facets');
      onSaved?.(reply.run);
    });
    if (saved) close();
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
        {problem && <ErrorNote error={problem} />}
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
