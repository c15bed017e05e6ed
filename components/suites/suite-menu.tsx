'use client';

import { deleteJson } from '#lib/browser/api.ts';
import { useDeletion } from '../hooks/use-deletion.ts';
import { DeleteDialog } from '../ui/delete-dialog.tsx';
import { Menu, menuItem } from '../ui/menu.tsx';

/** The menu of a suite. Deletion needs confirmation, because there is no undo. */
export function SuiteMenu({ path }: { path: string }) {
  const { ask, dialog } = useDeletion(() => deleteJson(path), '/suites');
  return (
    <>
      <Menu label="More">
        <button type="button" className={menuItem} onClick={ask}>
          Delete suite
        </button>
      </Menu>
      <DeleteDialog {...dialog} title="Delete this suite?">
        <p className="mt-2 text-ink-2">
          This deletes its cases in all versions and cannot be undone. Experiments with it keep their cases
          and results.
        </p>
      </DeleteDialog>
    </>
  );
}
