'use client';

import { useState } from 'react';
import { ApiError, postJson } from '#lib/browser/api.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';

/** A failed reading of our server, with the way out: sign in, or try again. */
export function Problem({ error, onRetry }: { error: ApiError; onRetry: () => void }) {
  // Everything on the page was refused, not only what shows this.
  if (error.status === 401) return <SignIn onDone={() => location.reload()} />;
  return (
    <ErrorNote error={error}>
      <Button size="sm" className="mt-3" onClick={onRetry}>
        Try again
      </Button>
    </ErrorNote>
  );
}

/** For a browser that did not come by the link: the token does the same. */
export function SignIn({ onDone }: { onDone: () => void }) {
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
      <h2 className="text-lg font-semibold">This browser is not signed in</h2>
      <p className="text-ink-2">
        Open the link that <code>npm start</code> printed, or paste the operator token. It stands in the file{' '}
        <code>token</code> of the data directory.
      </p>
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
