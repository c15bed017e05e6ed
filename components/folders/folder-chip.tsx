'use client';

import { ChevronDown, Folder } from 'lucide-react';
import { folderName } from '#lib/browser/drafts/folder-path.ts';
import type { FolderChoice } from '#lib/browser/drafts/run-draft.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { ShortName } from '../ui/foreign-name.tsx';

/** Where a run will work, as a button that changes it. */
export function FolderChip({ choice, onOpen }: { choice: FolderChoice; onOpen: () => void }) {
  const { workspaceKind, workspace, workspace_copy: isCopy } = choice;
  const fresh = workspaceKind === 'fresh';
  return (
    <button
      type="button"
      onClick={onOpen}
      aria-haspopup="dialog"
      aria-label={fresh ? 'Folder: a fresh folder' : `Folder: ${plainVisibleLine(workspace)}`}
      title={fresh ? 'A new, empty folder for this run' : plainVisibleLine(workspace)}
      className="inline-flex h-9 max-w-56 items-center gap-2 rounded-md border border-line-strong bg-raised px-2.5 text-sm hover:border-ink-3 max-sm:h-11 max-sm:grow max-sm:basis-[40%]"
    >
      <Folder className="size-4 shrink-0 text-ink-3" aria-hidden="true" />
      <span className="foreign truncate">
        {fresh ? (
          'Fresh folder'
        ) : (
          <>
            {isCopy && <span className="text-ink-2">Copy of </span>}
            <ShortName text={folderName(workspace)} max={40} />
          </>
        )}
      </span>
      <ChevronDown className="size-3.5 shrink-0 text-ink-3" aria-hidden="true" />
    </button>
  );
}
