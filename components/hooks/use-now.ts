'use client';

import { useSyncExternalStore } from 'react';

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
  // Must not change between two readings of one drawing: only the timer moves it on.
  if (current === 0) current = Date.now();
  return current;
};

/** The time in milliseconds since 1970, twice a second; one timer for the page. Stands still when `running` is false. */
export function useNow(running = true): number {
  return useSyncExternalStore(running ? subscribe : silent, now, () => 0);
}
