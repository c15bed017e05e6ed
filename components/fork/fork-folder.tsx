'use client';

import type { ForkDraft } from '#lib/browser/drafts/fork-draft.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Choice } from '../ui/form/fields.tsx';
import type { ForkPart } from './fork-part.ts';

const EMPTY_FOLDER = { value: 'empty', label: 'An empty folder' } as const;
const COPIED_FOLDER = { value: 'copy', label: 'A copy of the files' } as const;
const FOLDERS = [COPIED_FOLDER, { value: 'same', label: 'The same folder' }, EMPTY_FOLDER] as const;
const IMPORTED_FOLDERS = [EMPTY_FOLDER, COPIED_FOLDER] as const;
const FOLDER_NOTES: Record<ForkDraft['workspace'], string> = {
  copy: 'A copy of the current files, including changes made after this point.',
  same: "Both runs use the same files and see each other's changes.",
  empty: 'A new, empty folder.',
};

/** The folder that the fork works in. */
export function ForkFolder({
  point,
  draft,
  onChange,
  isImported,
}: ForkPart & {
  /** Whether the run came from a file, which may name any folder. */
  isImported: boolean;
}) {
  return (
    <div>
      <Choice
        legend="Folder"
        name="fork-workspace"
        value={draft.workspace}
        options={isImported ? IMPORTED_FOLDERS : FOLDERS}
        onChange={(workspace) => onChange({ workspace })}
      />
      <p className="mt-1.5 text-xs text-ink-3">
        {FOLDER_NOTES[draft.workspace]}
        {isImported && draft.workspace === 'copy' && (
          <span className="mt-1 block text-warn">
            The imported file names{' '}
            <code className="foreign break-all">
              <ForeignText text={point.config.workspace} />
            </code>
            . The model will be able to read everything in it. Copy it only if you trust that.
          </span>
        )}
      </p>
    </div>
  );
}
