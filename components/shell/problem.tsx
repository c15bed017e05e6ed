'use client';

import { useEffect, useState } from 'react';
import type { SignedInReply } from '#lib/api/replies.ts';
import { type ApiError, postJson } from '#lib/browser/api.ts';
import { onKeyChange, storeKey } from '#lib/browser/sign-in-key.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { ErrorNote } from '../ui/error-note.tsx';

/** A failed reading of our server, with the way out: sign in, or try again. */
export function Problem({
  error,
  onRetry,
  spentLink,
}: {
  error: ApiError;
  onRetry: () => void;
  /** The browser was opened by a sign-in link that no longer works. */
  spentLink?: boolean;
}) {
  // All requests of the page were refused, not just this component's.
  if (error.status === 401) {
    return (
      <SignIn
        spentLink={spentLink}
        again={error.code === 'sign_in_again' ? error : undefined}
        onDone={() => (spentLink ? location.replace('/') : location.reload())}
      />
    );
  }
  return (
    <ErrorNote error={error}>
      <Button size="sm" className="mt-3" onClick={onRetry}>
        Try again
      </Button>
    </ErrorNote>
  );
}

/** Signs in with the operator token, for a browser that was not opened by the link. */
export function SignIn({
  spentLink = false,
  again,
  onDone,
}: {
  spentLink?: boolean;
  /** Why a browser that was signed in must sign in again. */
  again?: { message: string; hint?: string };
  onDone: () => void;
}) {
  const [token, setToken] = useState('');
  const { problem, run } = useRequest();
  // Another tab of this browser signed in: that is enough.
  useEffect(() => onKeyChange(onDone), [onDone]);
  const signIn = () =>
    run(async () => {
      const { key } = await postJson<SignedInReply>('/api/session', { token: token.trim() });
      storeKey(key);
      onDone();
    });
  return (
    <form
      className="mx-auto grid max-w-md gap-3 rounded-lg border bg-raised p-5"
      onSubmit={(event) => {
        event.preventDefault();
        void signIn();
      }}
    >
      {spentLink ? (
        <>
          <h2 className="text-lg font-semibold">This sign-in link no longer works</h2>
          <p className="text-ink-2">
            A link signs in one browser, once, within an hour. This one has been used or has expired. Loupe
            keeps running: start it a second time, in the same folder, and it prints a new link.
          </p>
          <Command text="npm start" />
          <p className="text-ink-2">
            Or paste the operator token from the file <code>token</code> in the data directory.
          </p>
        </>
      ) : (
        <>
          <h2 className="text-lg font-semibold">
            {again ? 'Sign in again' : 'This browser is not signed in'}
          </h2>
          {again && (
            <p className="text-ink-2">
              {again.message} {again.hint}
            </p>
          )}
          <p className="text-ink-2">
            Open the link that <code>npm start</code> printed, or paste the operator token from the file{' '}
            <code>token</code> in the data directory.
          </p>
        </>
      )}
      <label className="grid gap-1">
        <span className="text-sm font-medium">Operator token</span>
        <input
          type="password"
          autoComplete="off"
          className="field font-mono"
          value={token}
          onChange={(event) => setToken(event.target.value)}
          required
        />
      </label>
      {problem && <ErrorNote error={problem} />}
      <Button type="submit" kind="primary">
        Sign in
      </Button>
    </form>
  );
}
