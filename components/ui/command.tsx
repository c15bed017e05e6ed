import { CopyButton } from './copy-button.tsx';
import { cx } from './cx.ts';

/** A command to copy into a terminal. */
export function Command({ text, inline = false }: { text: string; inline?: boolean }) {
  return (
    <span
      className={cx(
        'w-fit max-w-full items-center gap-2 rounded-md border bg-sunken py-0.5 pr-1 pl-2.5',
        inline ? 'inline-flex' : 'mt-2 flex',
      )}
    >
      <code className="truncate">{text}</code>
      <CopyButton text={text} label={`Copy ${text}`} />
    </span>
  );
}
