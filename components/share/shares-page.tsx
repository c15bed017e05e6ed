'use client';

import type { Share, ShareListReply, ShareReply } from '#lib/api/share.ts';
import { deleteJson } from '#lib/browser/api.ts';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { formatMoment, formatWhen, plural } from '#lib/browser/words/format.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { useApi, useReload } from '../hooks/use-api.ts';
import { useNow } from '../hooks/use-now.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Problem } from '../shell/problem.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';
import { Reach } from './reach.tsx';
import { SCOPE_WORDS } from './share-words.ts';

/** All share links with their views and expiry, and a way to revoke them. */
export function SharesPage() {
  const { data, error, reload } = useApi<ShareListReply>('/api/shares', 3000);
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6">
      <h1 className="text-xl font-semibold tracking-[-0.015em]">Shared runs</h1>
      {data && data.shares.length > 0 && (
        <div className="mt-3 max-w-read">
          <Reach
            reach={data.reach}
            links={data.shares.filter(({ status }) => status === 'active').length}
            onChange={reload}
          />
        </div>
      )}
      {data?.reach.problem && (
        <p role="alert" className="mt-4 rounded-md border border-fail bg-fail-wash px-3 py-2 text-sm">
          {data.reach.problem.message} {data.reach.problem.hint}
        </p>
      )}
      {!data && !error && <p className="mt-6 text-ink-3">Loading…</p>}
      {error && !data && (
        <div className="mt-6">
          <Problem error={error} onRetry={reload} />
        </div>
      )}
      {data?.shares.length === 0 && (
        <>
          <p className="mt-3 max-w-prose text-ink-2">
            Nothing is shared. “Share” at the top of a run creates a read-only link with secrets masked. You
            can revoke it here.
          </p>
          <Link href="/" className={buttonClass('plain', 'md', 'mt-5')}>
            All runs
          </Link>
        </>
      )}
      {data && data.shares.length > 0 && (
        <ul className="mt-6 divide-y border-y">
          {data.shares.map((share) => (
            <ShareLine key={share.id} share={share} />
          ))}
        </ul>
      )}
    </main>
  );
}

function ShareLine({ share }: { share: Share }) {
  const now = useNow();
  const { busy, problem, run } = useRequest();
  const reload = useReload();
  const active = share.status === 'active';
  const revoke = () =>
    run(async () => {
      await deleteJson<ShareReply>(`/api/shares/${encodeURIComponent(share.id)}`);
      reload('/api/shares');
    });
  return (
    <li
      ref={keepFocus}
      aria-label={plainVisibleLine(share.title)}
      className={cx(
        'grid items-center gap-x-6 gap-y-2 py-3 sm:grid-cols-[minmax(0,1fr)_6rem_auto]',
        !active && 'text-ink-3',
      )}
    >
      <div className="min-w-0">
        <Link
          href={`/runs/${encodeURIComponent(share.run_id)}`}
          className="foreign line-clamp-2 leading-6 font-medium hover:text-brass md:line-clamp-1"
          title={plainVisibleLine(share.title)}
        >
          <ShortName text={share.title} />
        </Link>
        <p className="flex flex-wrap items-center gap-x-3 text-sm text-ink-3">
          <span>{SCOPE_WORDS[share.scope].label}</span>
          <span>{share.until_seq === undefined ? 'follows the run' : 'frozen'}</span>
          {share.show.length > 0 && <span className="text-warn">shows {share.show.join(', ')}</span>}
        </p>
      </div>
      <p className="tnum text-sm text-ink-3" suppressHydrationWarning>
        {plural(share.views, 'view')}
        {share.last_viewed_at !== undefined && (
          <span className="block text-xs">{`last ${formatWhen(share.last_viewed_at, now)}`}</span>
        )}
      </p>
      <div className="flex flex-wrap items-center gap-2 sm:w-60 sm:justify-end md:w-72">
        {active ? (
          <>
            <span className="text-right text-xs text-ink-3" suppressHydrationWarning>
              expires {formatMoment(share.expires_at)}
            </span>
            {share.url && <CopyButton text={share.url} label="Copy the link" />}
            <Button kind="danger" size="sm" onClick={() => void revoke()} disabled={busy}>
              Revoke
            </Button>
          </>
        ) : (
          <Badge tone="calm">{share.status}</Badge>
        )}
      </div>
      {problem && (
        <div className="sm:col-span-3">
          <ErrorNote error={problem} />
        </div>
      )}
    </li>
  );
}
