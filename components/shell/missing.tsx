import { buttonClass } from '../ui/button.tsx';
import { ForeignName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';

/** Says that the server does not have what was asked for, and links to the list that it would be in. */
export function Missing({
  message,
  hint = 'It may have been deleted, or the link is incomplete.',
  announced,
  href,
  back,
}: {
  message: string;
  hint?: string;
  /** Whether the page may have shown it until now. */
  announced: boolean;
  /** The address of the list. */
  href: string;
  back: string;
}) {
  return (
    <div role={announced ? 'alert' : undefined}>
      <h1 className="foreign text-2xl font-semibold tracking-[-0.02em]">
        <ForeignName text={message} max={200} />
      </h1>
      <p className="mt-2 text-ink-2">{hint}</p>
      <Link href={href} className={buttonClass('plain', 'md', 'mt-6')}>
        {back}
      </Link>
    </div>
  );
}
