'use client';

import type { RefObject } from 'react';
import type { InstalledModel } from '#lib/api/replies.ts';
import { pastedPath } from '#lib/browser/drafts/folder-path.ts';
import { KIND_WORDS } from '#lib/browser/words/mode-words.ts';
import { kindFacts, runKinds } from '#lib/events/modes.ts';
import { CopySwitch } from '../folders/copy-switch.tsx';
import { useFolderDialog } from '../folders/use-folder-dialog.tsx';
import { PlaceholderFields } from '../presets/placeholder-fields.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ShortName } from '../ui/foreign-name.tsx';
import { Choice, Field, Section } from '../ui/form/fields.tsx';
import { AddImages, AttachedImages, type ImageInput, useImageInput } from '../ui/form/image-field.tsx';
import { NamedFolderNote } from './named-folder-note.tsx';
import { useDraftField } from './run-form.ts';

const KIND_OPTIONS = runKinds.map((value) => ({ value, label: kindFacts(value).label }));

/** The kind of run, and its task. */
export function KindFields({
  task,
  models,
}: {
  task: RefObject<HTMLTextAreaElement | null>;
  models: readonly InstalledModel[];
}) {
  const kind = useDraftField('kind');
  const text = useDraftField('task');
  const placeholders = useDraftField('placeholders');
  const images = useDraftField('images');
  const input = useImageInput(images.value, images.set);
  const words = KIND_WORDS[kind.value];
  return (
    <Section title="Kind of run" hint={words.hint}>
      <Choice legend="Mode" name="mode" value={kind.value} onChange={kind.set} options={KIND_OPTIONS} />
      {words.task && (
        <Field label={words.task.label} problem={text.problem}>
          {(props) => (
            <textarea
              {...props}
              ref={task}
              {...input.handlers}
              className={cx('field min-h-28 resize-y', input.over && 'border-brass-line')}
              value={text.value}
              onChange={(event) => text.set(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.metaKey || event.ctrlKey))
                  event.currentTarget.form?.requestSubmit();
              }}
              placeholder={words.task?.example}
            />
          )}
        </Field>
      )}
      {words.task && (
        <div className="grid gap-2">
          <AttachedImages input={input} />
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <AddImages input={input} />
            <ImagesNote input={input} models={models} />
          </div>
        </div>
      )}
      {words.task && placeholders.value !== null && (
        <PlaceholderFields
          task={text.value}
          values={placeholders.value}
          problem={placeholders.problem}
          onChange={placeholders.set}
        />
      )}
    </Section>
  );
}

/** How images get here, or that the model cannot see those that are here. */
function ImagesNote({ input, models }: { input: ImageInput; models: readonly InstalledModel[] }) {
  const name = useDraftField('model').value;
  const model = models.find((each) => each.name === name);
  if (input.images.length === 0) {
    return <p className="text-xs text-ink-3">Or paste or drop them into the text.</p>;
  }
  if (!model || model.capabilities?.includes('vision')) return null;
  return (
    <p role="status" className="foreign text-xs text-warn">
      <ShortName text={model.name} max={40} /> cannot see images. It gets a list of their names instead.
    </p>
  );
}

/** Where the run works. */
export function WorkspaceFields({ named }: { named: string | undefined }) {
  const where = useDraftField('workspaceKind');
  const folder = useDraftField('workspace');
  const copy = useDraftField('workspace_copy');
  const { open, dialog } = useFolderDialog({
    choice: { workspaceKind: where.value, workspace: folder.value, workspace_copy: copy.value },
    onChoose: ({ workspace }) => folder.set(workspace),
  });
  return (
    <Section title="Workspace" hint="The only folder the agent can reach">
      <Choice
        legend="Where it works"
        name="workspace"
        value={where.value}
        onChange={where.set}
        options={[
          { value: 'fresh', label: 'A fresh folder' },
          { value: 'folder', label: 'An existing folder' },
        ]}
      />
      {named !== undefined && <NamedFolderNote folder={named} />}
      {where.value === 'folder' && (
        <>
          <Field label="Folder" problem={folder.problem}>
            {(props) => (
              <span className="flex gap-2">
                <input
                  {...props}
                  className="field min-w-0 flex-1 font-mono text-sm"
                  spellCheck={false}
                  autoComplete="off"
                  placeholder="~/projects/reports"
                  value={folder.value}
                  onChange={(event) => folder.set(event.target.value)}
                  onBlur={() => folder.set(pastedPath(folder.value))}
                />
                <Button onClick={() => open()}>Browse</Button>
              </span>
            )}
          </Field>
          <CopySwitch checked={copy.value} onChange={copy.set} />
          {dialog}
        </>
      )}
    </Section>
  );
}
