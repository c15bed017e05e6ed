'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { deleteJson } from '#lib/browser/api.ts';

import { LEAVING, type RequestState } from '../hooks/use-request.ts';
import { Button } from './button.tsx';

/**
 * Deletes what a page shows and leaves for its list. The first press asks for a second one: there is no way back.
 *
 * @param props.sure what the second press says that it deletes
 */
export function DeleteButton({
  path,
  sure,
  list,
  request: { busy, run },
}: {
  path: string;
  sure: string;
  list: string;
  request: RequestState;
}) {
  const router = useRouter();
  const [isSure, setSure] = useState(false);
  const remove = () =>
    run(async () => {
      await deleteJson(path);
      router.push(list);
      return LEAVING;
    });
  return (
    <Button
      size="sm"
      kind="quiet"
      className="text-fail max-sm:h-11"
      disabled={busy}
      onClick={() => (isSure ? void remove() : setSure(true))}
    >
      {isSure ? sure : 'Delete'}
    </Button>
  );
}
