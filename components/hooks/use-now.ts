'use client';

import { createContext, useContext, useMemo, useSyncExternalStore } from 'react';

/** A clock that a part of the page uses instead of the real one, for a replay. */
export interface PageClock {
  /** Milliseconds since 1970; must not change without telling the listeners. */
  now: () => number;
  subscribe: (listener: () => void) => () => void;
}

export const ClockContext = createContext<PageClock | undefined>(undefined);

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let current = 0;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    current = Date.now();
    timer = setInterval(() => {
      current = Date.now();
      for (const notify of listeners) notify();
    }, 500);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

const silent = () => () => {};
const now = () => {
  // Must not change during a render, so only the timer advances it.
  if (current === 0) current = Date.now();
  return current;
};

/**
 * The time in milliseconds since 1970, twice a second; one timer for the page. Stands still when `running` is false. In a
 * replay, the time of what is shown.
 */
export function useNow(running = true): number {
  const clock = useContext(ClockContext);
  return useSyncExternalStore(
    clock ? clock.subscribe : running ? subscribe : silent,
    clock ? clock.now : now,
    () => 0,
  );
}

/**
 * Text that depends on the time, such as `4 min ago`. Renders again only when it changes, so that a long list that stays
 * open costs nothing between changes.
 *
 * @param textAt the text at a time in milliseconds since 1970; on the server, that time is 0
 */
export function useTimedText(textAt: (now: number) => string): string {
  const clock = useContext(ClockContext);
  const present = clock ? clock.now : now;
  return useSyncExternalStore(
    clock ? clock.subscribe : subscribe,
    () => textAt(present()),
    () => textAt(0),
  );
}

/** A moment of the present day; changes at midnight. */
export function useToday(): number {
  const day = useTimedText((now) => new Date(now).toDateString());
  return useMemo(() => new Date(day).getTime(), [day]);
}
