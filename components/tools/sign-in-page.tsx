'use client';

import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import type { McpSignedInReply } from '#lib/api/mcp.ts';
import { type ApiError, postJson } from '#lib/browser/api.ts';
import { toApiError } from '#lib/browser/api-error.ts';
import { Problem } from '../shell/problem.tsx';
import { ParentLink } from '../ui/parent-link.tsx';

/** Where a browser comes back to from a sign-in at an MCP server. */
export function SignInPage() {
  const params = useSearchParams();
  const sent = useRef(false);
  const [server, setServer] = useState<string>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    // A code is good for one exchange; in development React runs effects twice.
    if (sent.current) return;
    sent.current = true;
    postJson<McpSignedInReply>('/api/mcp/sign-in', Object.fromEntries(params))
      .then((reply) => {
        setServer(reply.server);
        history.replaceState(null, '', location.pathname);
      })
      .catch((failure: unknown) => setError(toApiError(failure)));
  }, [params]);
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6">
      <ParentLink href="/tools">Tools</ParentLink>
      <h1 className="mt-1 text-xl font-semibold tracking-[-0.015em]">Sign-in at an MCP server</h1>
      <div className="mt-4 max-w-read" aria-live="polite">
        {error ? (
          <Problem error={error} onRetry={() => location.reload()} />
        ) : server === undefined ? (
          <p className="text-ink-3">Completing the sign-in.</p>
        ) : (
          <p>
            Signed in to <span className="font-mono font-semibold">{server}</span>. You can close this tab, or
            go to{' '}
            <Link
              href="/tools"
              className="text-brass underline decoration-brass-line underline-offset-2 hover:decoration-brass"
            >
              Tools
            </Link>{' '}
            and accept its tools.
          </p>
        )}
      </div>
    </main>
  );
}
