import type { HealthReply } from '#lib/api/replies.ts';
import { Link } from '../ui/link.tsx';
import { bannerAction, HeaderBanner } from './header-banner.tsx';

/** Shown on every page while the store takes no writes. */
export function StorageBanner({ problem }: { problem: NonNullable<HealthReply['store']['read_only']> }) {
  const { message, hint = '', disk_full: isFull } = problem;
  const details = `${message} ${hint}`;
  return (
    <HeaderBanner
      label={isFull ? 'Disk full' : 'Store read-only'}
      title={details}
      className="bg-fail text-canvas"
      headline={isFull ? 'Disk full: Loupe is read-only.' : 'Loupe is read-only.'}
      details={details}
      action={
        <Link href={isFull ? '/' : '/health'} className={bannerAction}>
          {isFull ? 'Delete runs' : 'Details'}
        </Link>
      }
    />
  );
}
