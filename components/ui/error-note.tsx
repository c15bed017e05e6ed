import type { ReactNode } from 'react';
import { ForeignMessage } from './foreign-message.tsx';

/** An error with its message and hint. */
export function ErrorNote({
  error,
  children,
}: {
  error: { message: string; hint?: string };
  children?: ReactNode;
}) {
  return (
    <div role="alert" className="min-w-0 rounded-md border border-fail/40 bg-fail-wash px-3.5 py-2.5">
      <ForeignMessage text={error.message} className="font-medium text-fail" />
      {error.hint && <ForeignMessage text={error.hint} className="mt-0.5 text-ink-2" />}
      {children}
    </div>
  );
}
