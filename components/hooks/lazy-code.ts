'use client';

import { useSyncExternalStore } from 'react';

/** Code that is not part of a page and is loaded when it is first needed. */
export interface LazyCode<Code> {
  /**
   * Lazily loaded code: loads it on first use and returns it without delay from then on; `undefined` while it loads.
   */
  useCode: () => Code | undefined;
  /** Loads it ahead of its first use. */
  preload: () => void;
}

/**
 * Code that its users can do without while it loads, and if it cannot be loaded: they show plain text. After a failure,
 * the next component that needs it tries again.
 *
 * @param load a dynamic import
 */
export function lazyCode<Code>(load: () => Promise<Code>): LazyCode<Code> {
  let state: { code?: Code; isLoading: boolean } = { isLoading: false };
  const listeners = new Set<() => void>();
  const preload = () => {
    if (state.isLoading || state.code !== undefined) return;
    state = { isLoading: true };
    load().then(
      (code) => {
        state = { code, isLoading: false };
        for (const listener of listeners) listener();
      },
      (error: unknown) => {
        state = { isLoading: false };
        console.info('A part of the page could not be loaded:', error);
      },
    );
  };
  const subscribe = (listener: () => void) => {
    preload();
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const present = () => state.code;
  return { preload, useCode: () => useSyncExternalStore(subscribe, present, () => undefined) };
}
