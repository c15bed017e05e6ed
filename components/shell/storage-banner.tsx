import type { HealthReply } from '#lib/api/replies.ts';
import { Link } from '../ui/link.tsx';

/** On every page while the store takes no writes. `globals.css` takes its height off full-height pages. */
export function StorageBanner({ problem }: { problem: NonNullable<HealthReply['store']['read_only']> }) {
  const { message, hint, disk_full: isFull } = problem;
  return (
    <aside
      aria-label={isFull ? 'Disk full' : 'Store read-only'}
      data-header-banner
      title={`${message} ${hint ?? ''}`}
      className="flex h-9 shrink-0 items-center gap-3 bg-fail px-3 text-sm text-canvas sm:px-6 print:hidden"
    >
      <p className="min-w-0 truncate" role="status">
        <strong className="font-semibold">
          {isFull ? 'Disk full: Loupe is read-only.' : 'Loupe is read-only.'}
        </strong>
        <span className="max-sm:hidden">
          {' '}
          {message} {hint}
        </span>
      </p>
      <Link
        href={isFull ? '/' : '/health'}
        className="ml-auto shrink-0 font-semibold underline underline-offset-2"
      >
        {isFull ? 'Delete runs' : 'Details'}
      </Link>
    </aside>
  );
}
