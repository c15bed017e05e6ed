'use client';

import type {
  RevokedApprovalsReply,
  StandingApproval,
  StandingApprovalListReply,
} from '#lib/api/standing-approval.ts';
import { deleteJson } from '#lib/browser/api.ts';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { formatWhen } from '#lib/browser/words/format.ts';
import { useApi } from '../hooks/use-api.ts';
import { useNow } from '../hooks/use-now.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignName, ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';

/** The tools that run without approval, by folder, with buttons to revoke that. */
export function StandingApprovals() {
  const { data, error, reload } = useApi<StandingApprovalListReply>('/api/standing-approvals', 10_000);
  const { problem, run } = useRequest();
  const now = useNow();
  const revoke = (path: string) =>
    run(async () => {
      await deleteJson<RevokedApprovalsReply>(path);
      reload();
    });
  if (!data) return error && error.status !== 401 ? <ErrorNote error={error} /> : null;
  const approvals = data.standing_approvals;
  return (
    <section
      ref={keepFocus}
      id="standing-approvals"
      aria-labelledby="standing-approvals-title"
      className="mt-10 scroll-mt-20"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-3">
        <h2 id="standing-approvals-title" tabIndex={-1} className="font-semibold">
          Standing approvals
        </h2>
        {approvals.length > 1 && (
          <Button
            kind="danger"
            size="sm"
            className="max-sm:h-11"
            onClick={() => void revoke('/api/standing-approvals')}
          >
            Revoke all
          </Button>
        )}
      </div>
      {problem && (
        <div className="mt-3">
          <ErrorNote error={problem} />
        </div>
      )}
      {approvals.length === 0 ? (
        <p className="mt-2 text-sm text-ink-2">
          None. “Always in this folder” on a call that waits for you adds one: later runs in that folder then
          call the tool without asking.
        </p>
      ) : (
        <ul className="mt-3 divide-y border-y">
          {approvals.map((approval) => (
            <Line
              key={approval.id}
              approval={approval}
              now={now}
              onRevoke={() => void revoke(`/api/standing-approvals/${encodeURIComponent(approval.id)}`)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function Line({
  approval,
  now,
  onRevoke,
}: {
  approval: StandingApproval;
  now: number;
  onRevoke: () => void;
}) {
  const { tool, folder, run_id, run_title, seq, created_at } = approval;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 py-2.5">
      <p className="min-w-0">
        <code className="font-semibold">
          <ShortName text={tool} max={48} />
        </code>{' '}
        in{' '}
        <code className="foreign break-all">
          <ForeignName text={folder} max={200} isPath />
        </code>
      </p>
      <p className="tnum col-start-1 text-sm text-ink-3" suppressHydrationWarning>
        approved {formatWhen(created_at, now)}
        {run_title === undefined ? (
          ', in a run that was deleted'
        ) : (
          <>
            {' '}
            in{' '}
            <Link
              href={`/runs/${encodeURIComponent(run_id)}#${seq}`}
              className="text-brass underline decoration-brass-line underline-offset-2"
            >
              <ShortName text={run_title} max={80} />
            </Link>
          </>
        )}
      </p>
      <Button
        size="sm"
        className="col-start-2 row-span-2 row-start-1 max-sm:h-11"
        onClick={onRevoke}
        aria-label={`Revoke the approval of ${tool} in ${folder}`}
      >
        Revoke
      </Button>
    </li>
  );
}
