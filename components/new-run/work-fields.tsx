'use client';

import type { RefObject } from 'react';
import { KIND_WORDS } from '#lib/browser/words/mode-words.ts';
import { kindFacts, runKinds } from '#lib/events/modes.ts';
import { Choice, Field, Section } from '../ui/form/fields.tsx';
import type { FormPart } from './form-part.ts';
import { NamedFolderNote } from './named-folder-note.tsx';

const KIND_OPTIONS = runKinds.map((value) => ({ value, label: KIND_WORDS[value].choice }));

/** The kind of run, and its task. */
export function KindFields({
  draft,
  set,
  problems,
  isNew,
  task,
}: FormPart & { isNew: boolean; task: RefObject<HTMLTextAreaElement | null> }) {
  const words = KIND_WORDS[draft.kind];
  return (
    <Section title="Kind of run" hint={words.hint}>
      <Choice
        legend="Mode"
        name="mode"
        value={draft.kind}
        onChange={(kind) => {
          set('kind', kind);
          const { startsLive } = kindFacts(kind);
          if (isNew && startsLive !== undefined) set('liveTokens', startsLive);
        }}
        options={KIND_OPTIONS}
      />
      {words.task && (
        <Field label={words.task.label} problem={problems.task}>
          {(props) => (
            <textarea
              {...props}
              ref={task}
              className="field min-h-28 resize-y"
              value={draft.task}
              onChange={(event) => set('task', event.target.value)}
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
export function WorkspaceFields({ draft, set, problems, named }: FormPart & { named: string | undefined }) {
  return (
    <Section title="Workspace" hint="The only folder the agent can reach">
      <Choice
        legend="Where it works"
        name="workspace"
        value={draft.workspaceKind}
        onChange={(value) => set('workspaceKind', value)}
        options={[
          { value: 'fresh', label: 'A fresh folder' },
          { value: 'folder', label: 'An existing folder' },
        ]}
      />
      {named !== undefined && <NamedFolderNote folder={named} />}
      {draft.workspaceKind === 'folder' && (
        <Field
          label="Folder"
          hint="Its files can be read, changed and overwritten by the agent."
          problem={problems.workspace}
        >
          {(props) => (
            <input
              {...props}
              className="field font-mono text-sm"
              spellCheck={false}
              autoComplete="off"
              placeholder="/home/you/projects/reports"
              value={draft.workspace}
              onChange={(event) => set('workspace', event.target.value)}
            />
          )}
        </Field>
      )}
    </Section>
  );
}
