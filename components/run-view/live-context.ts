'use client';

import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { StoreApi } from 'zustand/vanilla';
import type { Live } from '#lib/browser/state/live-text.ts';

export const LiveContext = createContext<StoreApi<Live> | undefined>(undefined);

/** Reads from what is being written now. */
export function useLive<T>(select: (live: Live) => T): T {
  const live = useContext(LiveContext);
  if (!live) throw new Error('This component must be inside the run screen.');
  return useStore(live, select);
}
