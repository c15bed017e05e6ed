import { type ReactNode, useId } from 'react';
import type { RequestState } from '../hooks/use-request.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';

/** Asks before something is deleted; it stays open with the problem if it can't be. */
export function DeleteDialog({
  open,
  title,
  request: { busy, problem },
  onClose,
  onDelete,
  children,
}: {
  open: boolean;
  title: string;
  request: RequestState;
  /** May be called more than once for one closing. */
  onClose: () => void;
  onDelete: () => void;
  /** Says what else is deleted, and what is kept. */
  children: ReactNode;
}) {
  const id = useId();
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={id} className="w-96 p-5">
      <h2 id={id} className="text-lg font-semibold">
        {title}
      </h2>
      {children}
      {problem && (
        <div className="mt-3">
          <ErrorNote error={problem} />
        </div>
      )}
      <div className="mt-5 flex justify-end gap-2">
        <Button size="sm" className="max-sm:h-11" onClick={onClose}>
          Keep it
        </Button>
        <Button kind="danger" size="sm" className="max-sm:h-11" onClick={onDelete} disabled={busy}>
          Delete
        </Button>
      </div>
    </Dialog>
  );
}
