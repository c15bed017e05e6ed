'use client';

import { type FormEvent, useState } from 'react';
import type { SuiteCase } from '#lib/api/suite.ts';
import {
  type CaseDraft,
  caseDraftOf,
  caseOf,
  EMPTY_CASE,
  toolsOfCase,
  type WrittenCase,
} from '#lib/browser/drafts/case-draft.ts';
import { KEPT_CASE } from '#lib/browser/drafts/kept-case.ts';
import { MAX_SUITE_NAME_CHARS } from '#lib/events/limits.ts';
import { useKeptFields } from '../hooks/use-kept-fields.ts';
import { ChecksEditor } from '../new-run/checks-editor.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field } from '../ui/form/fields.tsx';
import { CaseFields } from './case-fields.tsx';
import { FilesEditor } from './files-editor.tsx';

/** Edits a case. The server checks it when it is saved. */
export function CaseDialog({
  title,
  save,
  before,
  draft: given,
  like,
  busy,
  problem,
  keptAs,
  suiteName,
  onSave,
  onClose,
}: {
  title: string;
  /** Label of the button that saves. */
  save: string;
  /** The case that is edited. */
  before?: SuiteCase;
  /** What a new case starts with. */
  draft?: CaseDraft;
  /** The case that it duplicates. */
  like?: SuiteCase;
  busy: boolean;
  problem: { message: string; hint?: string } | undefined;
  /** Under which name what is entered survives a reload. */
  keptAs: string;
  /** The name of a new suite. */
  suiteName?: { value: string; onChange: (name: string) => void };
  /** Resolves to whether it was saved. */
  onSave: (one: WrittenCase) => Promise<boolean>;
  onClose: () => void;
}) {
  const empty = given ?? (before ? caseDraftOf(before) : EMPTY_CASE);
  const { draft, change, isChanged, forget } = useKeptFields(keptAs, KEPT_CASE, empty);
  const [unreadable, setUnreadable] = useState<string>();
  const close = () => {
    forget();
    onClose();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const read = caseOf(draft, before ?? like);
    setUnreadable(read.ok ? undefined : read.problem);
    if (read.ok && (await onSave(read.value))) forget();
  };
  const shown = unreadable === undefined ? problem : { message: unreadable };
  return (
    <Dialog
      open
      onClose={close}
      keepsOnEscape={isChanged}
      aria-labelledby="case-title"
      className="w-[44rem] border-line-strong"
    >
      <form className="grid max-h-[85dvh] grid-rows-[auto_minmax(0,1fr)_auto]" onSubmit={submit}>
        <h2 id="case-title" className="px-4 pt-4 text-lg font-semibold tracking-[-0.012em] sm:px-5">
          {title}
        </h2>
        <div className="grid content-start gap-4 overflow-y-auto px-4 py-4 sm:px-5">
          {suiteName && (
            <Field label="Name of the suite">
              {(props) => (
                <input
                  {...props}
                  className="field"
                  required
                  maxLength={MAX_SUITE_NAME_CHARS}
                  autoComplete="off"
                  value={suiteName.value}
                  onChange={(event) => suiteName.onChange(event.target.value)}
                />
              )}
            </Field>
          )}
          <CaseFields draft={draft} onChange={change} />
          {draft.mode === 'task' && (
            <>
              <FilesEditor files={draft.files} onChange={(files) => change({ files })} />
              <fieldset className="min-w-0">
                <legend className="mb-1 text-sm font-medium">Checks</legend>
                <ChecksEditor
                  checks={draft.checks}
                  tools={toolsOfCase(draft)}
                  withCommands
                  onChange={(checks) => change({ checks })}
                />
              </fieldset>
            </>
          )}
        </div>
        <div className="grid gap-3 border-t px-4 py-3 sm:px-5">
          {shown && <ErrorNote error={shown} />}
          <div className="flex flex-wrap justify-end gap-2">
            <Button kind="quiet" className="max-sm:h-11" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" kind="primary" className="max-sm:h-11" disabled={busy}>
              {save}
            </Button>
          </div>
        </div>
      </form>
    </Dialog>
  );
}
