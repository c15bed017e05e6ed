'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { deleteJson } from '#lib/browser/api.ts';
import { LEAVING, type RequestState } from '../hooks/use-request.ts';
import { Button } from './button.tsx';

/**
 * Deletes the item that a page shows and goes to its list page. Takes two presses, because there is no undo; the second
 * must come before the focus moves elsewhere.
 *
 * @param props.confirmation the label of the second press
 */
export function DeleteButton({
  path,
  confirmation,
  listPath,
  request: { busy, run },
}: {
  path: string;
  confirmation: string;
  listPath: string;
  request: RequestState;
}) {
  const router = useRouter();
  const [isConfirming, setConfirming] = useState(false);
  const remove = () =>
    run(async () => {
      await deleteJson(path);
      router.push(listPath);
      return LEAVING;
    });
  return (
    <Button
      size="sm"
      kind="quiet"
      className="text-fail max-sm:h-11"
      disabled={busy}
      onClick={() => (isConfirming ? void remove() : setConfirming(true))}
      onBlur={() => setConfirming(false)}
    >
      {isConfirming ? confirmation : 'Delete'}
    </Button>
  );
}
