'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { deleteJson } from '#lib/browser/api.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { DeleteDialog } from '../ui/delete-dialog.tsx';
import { Menu, menuItem } from '../ui/menu.tsx';

/** The menu of a suite. A deletion is asked about first, because there is no undo. */
export function SuiteMenu({ path }: { path: string }) {
  const router = useRouter();
  const [asking, setAsking] = useState(false);
  const request = useRequest();
  const remove = () =>
    request.run(async () => {
      await deleteJson(path);
      router.push('/suites');
      return LEAVING;
    });
  return (
    <>
      <Menu label="More">
        <button
          type="button"
          className={menuItem}
          onClick={() => {
            request.setProblem(undefined);
            setAsking(true);
          }}
        >
          Delete suite
        </button>
      </Menu>
      <DeleteDialog
        open={asking}
        title="Delete this suite?"
        request={request}
        onClose={() => setAsking(false)}
        onDelete={() => void remove()}
      >
        <p className="mt-2 text-ink-2">
          This deletes its cases in all versions and cannot be undone. Experiments with it keep their cases
          and results.
        </p>
      </DeleteDialog>
    </>
  );
}
