'use client';

import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import type { FolderChoice } from '#lib/browser/drafts/run-draft.ts';
import { useLoaded } from '../hooks/use-loaded.ts';

const loadDialog = () => import('./folder-dialog.tsx');

/** The dialog that chooses a folder, whose code is loaded when it is first opened. */
export function useFolderDialog({
  choice,
  onChoose,
  offersFresh,
}: {
  choice: FolderChoice;
  onChoose: (choice: Pick<FolderChoice, 'workspaceKind' | 'workspace'>) => void;
  /** Offers a new folder too. */
  offersFresh?: boolean;
}): {
  /** @param dropped the name of a dropped folder whose path is not known */
  open: (dropped?: string) => void;
  dialog: ReactNode;
} {
  const { opened, open, close } = useLoaded<Awaited<ReturnType<typeof loadDialog>>, { dropped?: string }>(
    loadDialog,
  );
  const dialog =
    opened &&
    // Outside of the form that it belongs to: it is a form itself.
    createPortal(
      <opened.code.FolderDialog
        initial={choice.workspaceKind === 'folder' ? choice.workspace : ''}
        dropped={opened.value.dropped}
        offersFresh={offersFresh}
        onClose={close}
        onChoose={(chosen) => {
          close();
          onChoose(chosen);
        }}
      />,
      document.body,
    );
  return { open: (dropped) => open(() => ({ dropped })), dialog };
}
