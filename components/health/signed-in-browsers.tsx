'use client';

import type { SignIn, SignInListReply, SignOutReply } from '#lib/api/sign-in.ts';
import { deleteJson } from '#lib/browser/api.ts';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { forgetKey } from '#lib/browser/sign-in-key.ts';
import { formatMoment, formatWhen } from '#lib/browser/words/format.ts';
import { useApi } from '../hooks/use-api.ts';
import { useNow } from '../hooks/use-now.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';

/** The browsers that can use this Loupe, with buttons to sign them out. */
export function SignedInBrowsers() {
  const { data, error, reload } = useApi<SignInListReply>('/api/sign-ins', 10_000);
  const { problem, run } = useRequest();
  const now = useNow();
  const signOut = (path: string) =>
    run(async () => {
      const { signed_out } = await deleteJson<SignOutReply>(path);
      const own = data?.sign_ins.find(({ current }) => current);
      if (own && signed_out.includes(own.id)) {
        forgetKey();
        location.replace('/');
      } else reload();
    });
  if (!data) return error && error.status !== 401 ? <ErrorNote error={error} /> : null;
  return (
    <section ref={keepFocus} aria-labelledby="signed-in-browsers" className="mt-10">
      <div className="flex flex-wrap items-baseline justify-between gap-3">
        <h2 id="signed-in-browsers" tabIndex={-1} className="font-semibold">
          Signed-in browsers
        </h2>
        <Button kind="danger" size="sm" onClick={() => void signOut('/api/sign-ins')}>
          Sign out everywhere
        </Button>
      </div>
      {problem && (
        <div className="mt-3">
          <ErrorNote error={problem} />
        </div>
      )}
      <ul className="mt-3 divide-y border-y">
        {data.sign_ins.map((signIn) => (
          <Line
            key={signIn.id}
            signIn={signIn}
            now={now}
            onSignOut={() => void signOut(`/api/sign-ins/${encodeURIComponent(signIn.id)}`)}
          />
        ))}
      </ul>
    </section>
  );
}

function Line({ signIn, now, onSignOut }: { signIn: SignIn; now: number; onSignOut: () => void }) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 py-2.5 sm:grid-cols-[minmax(0,1fr)_auto_auto]">
      <span className="col-start-1 row-start-1 flex min-w-0 flex-wrap items-center gap-x-2">
        {signIn.label}
        {signIn.current && <Badge>this browser</Badge>}
      </span>
      <span
        className="tnum col-span-2 row-start-2 text-sm text-ink-3 sm:col-span-1 sm:col-start-2 sm:row-start-1"
        suppressHydrationWarning
      >
        last seen {formatWhen(signIn.last_seen_at, now)}, expires {formatMoment(signIn.expires_at)}
      </span>
      <Button
        size="sm"
        className="col-start-2 row-start-1 sm:col-start-3"
        onClick={onSignOut}
        aria-label={`Sign out ${signIn.current ? 'this browser' : `${signIn.label}, signed in ${formatMoment(signIn.created_at)}`}`}
      >
        Sign out
      </Button>
    </li>
  );
}
