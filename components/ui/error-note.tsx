import type { ReactNode } from 'react';
import { ForeignText } from './foreign-text.tsx';

/** An error as a person reads it: what happened, and what to do. */
export function ErrorNote({
  error,
  children,
}: {
  error: { message: string; hint?: string };
  children?: ReactNode;
}) {
  return (
    <div role="alert" className="rounded-md border border-fail/40 bg-fail-wash px-3.5 py-2.5">
      <p className="foreign font-medium text-fail">
        <ForeignText text={error.message} />
      </p>
      {error.hint && (
        <p className="foreign mt-0.5 text-ink-2">
          <ForeignText text={error.hint} />
        </p>
      )}
      {children}
    </div>
  );
}
