'use client';

import { useState } from 'react';
import { ApiError, postJson } from '#lib/browser/api.ts';
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
  /** The browser came by a sign-in link that does not work any more. */
  spentLink?: boolean;
}) {
  // Everything on the page was refused, not only what shows this.
  if (error.status === 401) {
    return (
      <SignIn spentLink={spentLink} onDone={() => (spentLink ? location.replace('/') : location.reload())} />
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

/** For a browser that did not come by the link: the token does the same. */
export function SignIn({ spentLink = false, onDone }: { spentLink?: boolean; onDone: () => void }) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<ApiError>();
  const signIn = async () => {
    try {
      await postJson('/api/session', { token: token.trim() });
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    }
  };
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
          <h2 className="text-lg font-semibold">This sign-in link does not work any more</h2>
          <p className="text-ink-2">
            A link signs in one browser, once, within an hour. This one was used before or is too old. Loupe
            keeps running: start it a second time, in the same folder, and it prints a new link.
          </p>
          <Command text="npm start" />
          <p className="text-ink-2">
            Or paste the operator token. It stands in the file <code>token</code> of the data directory.
          </p>
        </>
      ) : (
        <>
          <h2 className="text-lg font-semibold">This browser is not signed in</h2>
          <p className="text-ink-2">
            Open the link that <code>npm start</code> printed, or paste the operator token. It stands in the
            file <code>token</code> of the data directory.
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
