import type { ReactNode } from 'react';
import { Mark } from '../ui/mark.tsx';

/** A page with a single message. */
export function PlainMessage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main id="main" className="mx-auto grid min-h-dvh max-w-md content-center gap-3 px-6 py-12">
      <Mark className="size-7 text-brass" />
      <h1 className="text-xl font-semibold tracking-[-0.015em]">{title}</h1>
      <p className="text-ink-2">{children}</p>
    </main>
  );
}
