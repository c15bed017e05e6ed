import { type ReactNode, useId } from 'react';
import { cx } from '../ui/cx.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ABOVE_FOOTER } from '../ui/dialog-footer.tsx';
import { DialogHeader } from '../ui/dialog-header.tsx';

/** What to do when another tab has changed what a form edits: the page has read it again, and keeps what was typed. */
export const CHANGED_HINT = 'Save again to replace it with yours, or cancel to keep it.';

/** A dialog of the Tools page: a title with a Close button above a form, as high as the window allows. */
export function ToolsDialog({
  title,
  wide = false,
  onClose,
  children,
}: {
  title: string;
  wide?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const heading = useId();
  return (
    <Dialog
      open
      onClose={onClose}
      keepsOnEscape="typed"
      aria-labelledby={heading}
      className={cx(
        'max-h-[calc(100dvh-2rem)] overflow-y-auto border-line-strong',
        ABOVE_FOOTER,
        wide ? 'w-[44rem]' : 'w-[40rem]',
      )}
    >
      <div className="grid gap-4 p-4 sm:p-5">
        <DialogHeader id={heading} title={title} onClose={onClose} />
        {children}
      </div>
    </Dialog>
  );
}
