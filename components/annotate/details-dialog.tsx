'use client';

import { type FormEvent, useId, useState } from 'react';
import type { AnnotatedReply } from '#lib/api/replies.ts';
import type { AnnotationChange } from '#lib/api/run-annotations.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { patchJson } from '#lib/browser/api.ts';
import { MAX_NOTE_CHARS, MAX_TITLE_CHARS } from '#lib/events/limits.ts';
import { useReload } from '../hooks/use-api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DialogHeader } from '../ui/dialog-header.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field, Switch } from '../ui/form/fields.tsx';
import { ScoreField } from './score-field.tsx';
import { TagField } from './tag-field.tsx';

/** Edits what a person notes about a run: title, tags, score, note, pin and archive. */
export function DetailsDialog({
  run,
  onClose,
  onSaved,
}: {
  run: RunSummary;
  onClose: () => void;
  onSaved?: (run: RunSummary) => void;
}) {
  const { annotations = {} } = run;
  const heading = useId();
  const [title, setTitle] = useState(run.title);
  const [tags, setTags] = useState(annotations.tags ?? []);
  const [note, setNote] = useState(annotations.note ?? '');
  const [score, setScore] = useState(annotations.score);
  const [pinned, setPinned] = useState(annotations.pinned === true);
  const [archived, setArchived] = useState(annotations.archived === true);
  const { busy, problem, run: ask } = useRequest();
  const reload = useReload();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const change: AnnotationChange = {
      ...(title === run.title ? {} : { title: title.trim() === '' ? null : title }),
      ...{ tags, note, score: score ?? null, pinned, archived },
    };
    const saved = await ask(async () => {
      const reply = await patchJson<AnnotatedReply>(`/api/runs/${encodeURIComponent(run.id)}`, change);
      reload('/api/facets');
      onSaved?.(reply.run);
    });
    if (saved) onClose();
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={heading} className="w-[30rem] p-5">
      <form onSubmit={(event) => void save(event)} className="grid gap-4">
        <DialogHeader id={heading} title="Edit details" />
        <Field label="Title" hint="Empty: the run's own title">
          {(props) => (
            <input
              {...props}
              className="field"
              value={title}
              maxLength={MAX_TITLE_CHARS}
              autoComplete="off"
              onChange={(event) => setTitle(event.target.value)}
            />
          )}
        </Field>
        <TagField label="Tags" tags={tags} onChange={setTags} />
        <div>
          <span className="mb-1 block text-sm font-medium">Score</span>
          <ScoreField score={score} onChange={(value) => setScore(value ?? undefined)} />
        </div>
        <Field label="Note">
          {(props) => (
            <textarea
              {...props}
              className="field min-h-24"
              value={note}
              maxLength={MAX_NOTE_CHARS}
              onChange={(event) => setNote(event.target.value)}
            />
          )}
        </Field>
        <div className="flex flex-wrap gap-x-8 gap-y-3">
          <Switch label="Pinned" checked={pinned} onChange={setPinned} />
          <Switch label="Archived" checked={archived} onChange={setArchived} />
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
