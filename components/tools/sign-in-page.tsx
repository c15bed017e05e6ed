'use client';

import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import type { McpSignedInReply } from '#lib/api/mcp.ts';
import { type ApiError, postJson } from '#lib/browser/api.ts';
import { toApiError } from '#lib/browser/api-error.ts';
import { Problem } from '../shell/problem.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { ParentLink } from '../ui/parent-link.tsx';

const LINK = 'text-brass underline decoration-brass-line underline-offset-2 hover:decoration-brass';

/** The status for a browser that is not signed in to Loupe. */
const SIGNED_OUT = 401;

/** The page to which the browser returns from a sign-in at an MCP server. */
export function SignInPage() {
  const params = useSearchParams();
  const sent = useRef(false);
  const [server, setServer] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    // A code is good for one exchange; in development React runs effects twice.
    if (sent.current) return;
    sent.current = true;
    // The page was loaded again after `forgetCode`.
    if (params.size === 0) {
      setIsOver(true);
      return;
    }
    postJson<McpSignedInReply>('/api/mcp/sign-in', Object.fromEntries(params))
      .then((reply) => {
        setServer(reply.server);
        forgetCode();
      })
      .catch((failure: unknown) => {
        const found = toApiError(failure);
        if (found.status !== SIGNED_OUT) forgetCode();
        setError(found);
      });
  }, [params]);
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6">
      <ParentLink href="/tools">Tools</ParentLink>
      <h1 className="mt-1 text-xl font-semibold tracking-[-0.015em]">Sign in to an MCP server</h1>
      <div className={cx('mt-4', error?.status !== SIGNED_OUT && 'max-w-read')} aria-live="polite">
        {error ? (
          <SignInProblem error={error} />
        ) : isOver ? (
          <p>
            This sign-in is over. The page{' '}
            <Link href="/tools" className={LINK}>
              Tools
            </Link>{' '}
            shows which servers you are signed in to.
          </p>
        ) : server === undefined ? (
          <p className="text-ink-3">Completing the sign-in…</p>
        ) : (
          <p>
            Signed in to <span className="font-mono font-semibold">{server}</span>. You can close this tab, or
            go to{' '}
            <Link href="/tools" className={LINK}>
              Tools
            </Link>{' '}
            and accept its tools.
          </p>
        )}
      </div>
    </main>
  );
}

/** Takes the code out of the address, so that it is in no history. */
function forgetCode(): void {
  history.replaceState(null, '', location.pathname);
}

/** A browser that is not signed in to Loupe can try again after that; any other failure ends this sign-in. */
function SignInProblem({ error }: { error: ApiError }) {
  if (error.status === SIGNED_OUT) return <Problem error={error} onRetry={() => location.reload()} />;
  return (
    <ErrorNote error={error}>
      <p className="mt-2">
        <Link href="/tools" className={LINK}>
          Back to Tools
        </Link>
      </p>
    </ErrorNote>
  );
}
