'use client';

import { type FormEvent, useState } from 'react';
import type { Preset, PresetReply } from '#lib/api/preset.ts';
import { postJson } from '#lib/browser/api.ts';
import { presetRunOf } from '#lib/browser/drafts/preset-draft.ts';
import type { RunDraft } from '#lib/browser/drafts/run-draft.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { placeholderNames } from '#lib/util/placeholders.ts';
import { useReload } from '../hooks/use-api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { useWhileMounted } from '../hooks/use-while-mounted.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DialogHeader } from '../ui/dialog-header.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field, Switch } from '../ui/form/fields.tsx';

/** Saves the form under a name: a new preset, or the one that filled the form in. */
export function SavePresetDialog({
  draft,
  preset,
  onSaved,
  onClose,
}: {
  draft: RunDraft;
  /** The preset that the form was filled in from. */
  preset: Preset | undefined;
  onSaved: (preset: Preset) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(preset?.name ?? '');
  const [isTemplate, setTemplate] = useState(true);
  const { busy, problem, setProblem, run: request } = useRequest();
  const reload = useReload();
  const close = useWhileMounted(onClose);
  const names = kindFacts(draft.kind).task === 'none' ? [] : placeholderNames(draft.task);
  const save = (id: string | undefined) => {
    const read = presetRunOf(draft, { isTemplate });
    if (!read.ok) {
      setProblem({ message: Object.values(read.problems).join(' '), hint: 'Correct the form first.' });
      return;
    }
    void request(async () => {
      const path = id === undefined ? '/api/presets' : `/api/presets/${encodeURIComponent(id)}`;
      const { preset: saved } = await postJson<PresetReply>(path, { name, run: read.run });
      reload('/api/presets');
      close();
      onSaved(saved);
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation(); // React passes it on to the form that opened the dialog
    save(preset?.id);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      keepsOnEscape="typed"
      aria-labelledby="save-preset-title"
      className="w-[28rem] border-line-strong"
    >
      <form className="grid gap-4 p-4 sm:p-5" onSubmit={submit}>
        <DialogHeader id="save-preset-title" title={preset ? 'Save the preset' : 'Save as a preset'} />
        <Field label="Name" hint="Everything in the form is kept under this name.">
          {(props) => (
            <input
              {...props}
              className="field"
              required
              maxLength={80}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {names.length > 0 && (
          <Switch
            label={`Ask for ${names.map((each) => `{${each}}`).join(', ')} each time`}
            hint={
              isTemplate
                ? 'Names in braces become fields. Double the braces of those that are text: {{name}}.'
                : 'The braces in the task are kept as text.'
            }
            checked={isTemplate}
            onChange={setTemplate}
          />
        )}
        {names.length === 0 && kindFacts(draft.kind).task !== 'none' && (
          <p className="text-sm text-ink-3">
            Write {'{name}'} in the task for something to fill in each time.
          </p>
        )}
        {problem && <ErrorNote error={problem} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          {preset && (
            <Button disabled={busy || name.trim() === ''} onClick={() => save(undefined)}>
              Save as new
            </Button>
          )}
          <Button type="submit" kind="primary" disabled={busy || name.trim() === ''}>
            {preset ? 'Update' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
