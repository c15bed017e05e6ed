'use client';

import type { RefObject } from 'react';
import { useFormContext } from 'react-hook-form';
import type { RunDraft } from '#lib/browser/drafts/run-draft.ts';
import { KIND_WORDS } from '#lib/browser/words/mode-words.ts';
import { kindFacts, runKinds } from '#lib/events/modes.ts';
import { Choice, Field, Section } from '../ui/form/fields.tsx';
import { NamedFolderNote } from './named-folder-note.tsx';
import { useDraftField } from './run-form.ts';

const KIND_OPTIONS = runKinds.map((value) => ({ value, label: KIND_WORDS[value].choice }));

/** The kind of run, and its task. */
export function KindFields({ isNew, task }: { isNew: boolean; task: RefObject<HTMLTextAreaElement | null> }) {
  const { setValue } = useFormContext<RunDraft>();
  const kind = useDraftField('kind');
  const text = useDraftField('task');
  const words = KIND_WORDS[kind.value];
  return (
    <Section title="Kind of run" hint={words.hint}>
      <Choice
        legend="Mode"
        name="mode"
        value={kind.value}
        onChange={(chosen) => {
          kind.set(chosen);
          const { startsLive } = kindFacts(chosen);
          if (isNew && startsLive !== undefined) setValue('live_tokens', startsLive);
        }}
        options={KIND_OPTIONS}
      />
      {words.task && (
        <Field label={words.task.label} problem={text.problem}>
          {(props) => (
            <textarea
              {...props}
              ref={task}
              className="field min-h-28 resize-y"
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
    </Section>
  );
}

/** Where the run works. */
export function WorkspaceFields({ named }: { named: string | undefined }) {
  const where = useDraftField('workspaceKind');
  const folder = useDraftField('workspace');
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
        <Field
          label="Folder"
          hint="Its files can be read, changed and overwritten by the agent."
          problem={folder.problem}
        >
          {(props) => (
            <input
              {...props}
              className="field font-mono text-sm"
              spellCheck={false}
              autoComplete="off"
              placeholder="/home/you/projects/reports"
              value={folder.value}
              onChange={(event) => folder.set(event.target.value)}
            />
          )}
        </Field>
      )}
    </Section>
  );
}
