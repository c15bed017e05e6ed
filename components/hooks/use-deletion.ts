'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { LEAVING, type RequestState, useRequest } from './use-request.ts';

/** A deletion that needs confirmation. */
interface DeletionQuestion {
  /** Opens the question. */
  ask: () => void;
  /** For `DeleteDialog`. */
  dialog: { open: boolean; request: RequestState; onClose: () => void; onDelete: () => void };
}

/**
 * Asks before the item that a page shows is deleted, deletes it, and leaves the page.
 *
 * @param work deletes it; rejects with what is wrong, which the dialog shows
 * @param listPath the page to go to then
 */
export function useDeletion(work: () => Promise<unknown>, listPath: string): DeletionQuestion {
  const router = useRouter();
  const [open, setOpen] = useState(false);
  const request = useRequest();
  const remove = () =>
    request.run(async () => {
      await work();
      router.push(listPath);
      return LEAVING;
    });
  return {
    ask: () => {
      request.setProblem(undefined);
      setOpen(true);
    },
    dialog: { open, request, onClose: () => setOpen(false), onDelete: () => void remove() },
  };
}
