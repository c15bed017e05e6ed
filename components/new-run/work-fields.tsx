'use client';

import type { RefObject } from 'react';
import type { RunKind } from '#lib/browser/drafts/run-draft.ts';
import { Choice, Field, Section } from '../ui/form/fields.tsx';
import type { FormPart } from './form-part.ts';
import { NamedFolderNote } from './named-folder-note.tsx';

const KIND_WORDS: Record<RunKind, string> = {
  task: 'Works with tools until the task is done',
  session: 'Goes on turn by turn until you stop it',
  explore: 'No task: cycles of thought with a memory',
  prompt: 'One answer, no tools',
};

/** The kind of run, and its task. */
export function KindFields({
  draft,
  set,
  problems,
  isNew,
  task,
}: FormPart & { isNew: boolean; task: RefObject<HTMLTextAreaElement | null> }) {
  return (
    <Section title="Kind of run" hint={KIND_WORDS[draft.kind]}>
      <Choice
        legend="Mode"
        name="mode"
        value={draft.kind}
        onChange={(kind) => {
          set('kind', kind);
          if (isNew && kind !== 'task') set('liveTokens', kind !== 'explore');
        }}
        options={[
          { value: 'task', label: 'Task' },
          { value: 'session', label: 'Session' },
          { value: 'explore', label: 'Explore' },
          { value: 'prompt', label: 'Quick prompt' },
        ]}
      />
      {draft.kind !== 'explore' && (
        <Field
          label={
            {
              task: 'What should the agent do?',
              session: 'First message (optional)',
              prompt: 'What do you want to know?',
            }[draft.kind]
          }
          problem={problems.task}
        >
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
              placeholder={
                draft.kind === 'task'
                  ? 'Read the reports in this folder and write a summary to summary.md.'
                  : undefined
              }
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
