'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { useStore } from 'zustand';
import type { RunSource, RunView } from '#lib/browser/state/run-view.ts';
import { LiveContext } from './live-context.ts';
import { type RunScreenContext, ScreenContext } from './screen-context.ts';

const SourceContext = createContext<RunSource | undefined>(undefined);

/** Gives its children the run to show, and what can be done on this screen. */
export function RunProvider({
  value,
  children,
}: {
  value: RunScreenContext & { store: RunSource };
  children: ReactNode;
}) {
  return (
    <SourceContext value={value.store}>
      <LiveContext value={value.store.live}>
        <ScreenContext value={value}>{children}</ScreenContext>
      </LiveContext>
    </SourceContext>
  );
}

export function useRunSource(): RunSource {
  const source = useContext(SourceContext);
  if (!source) throw new Error('This component must be inside a RunProvider.');
  return source;
}

/** Reads from the run; draws again only when the selected value changes. */
export function useRun<T>(select: (view: RunView) => T): T {
  return useStore(useRunSource().view, select);
}
