import type { ReactNode } from 'react';

/** A page that consists of a message: what happened, and below it what to do about it. */
export function MessagePage({
  title,
  message,
  children,
}: {
  title: string;
  message: string;
  /** A button or link, with what belongs above it. */
  children: ReactNode;
}) {
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-16 sm:px-6">
      <h1 className="text-2xl font-semibold tracking-[-0.02em]">{title}</h1>
      <p className="mt-2 text-ink-2">{message}</p>
      {children}
    </main>
  );
}
