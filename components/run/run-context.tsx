'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Live } from '#lib/browser/live-text.ts';
import type { RunStore, RunView } from '#lib/browser/run-store.ts';

/** What the reader did to the picture: kept apart from the run, so that it survives rows leaving the screen. */
export interface Reading {
  /** Rows that were opened or closed by hand. */
  readonly unfolded: Readonly<Record<string, boolean>>;
  /** The row the keyboard is at. */
  readonly cursor: string | undefined;
  /** The cycle of an exploration that is looked at; `undefined`: the last. */
  readonly cycle: number | undefined;
}

export interface RunScreenContext {
  store: RunStore;
  reading: StoreApi<Reading>;
  /** Brings the row of an event into view and marks it. */
  goTo: (seq: number) => void;
}

const Context = createContext<RunScreenContext | undefined>(undefined);

export function RunProvider({ value, children }: { value: RunScreenContext; children: ReactNode }) {
  return <Context value={value}>{children}</Context>;
}

export function createReading(): StoreApi<Reading> {
  return createStore<Reading>(() => ({ unfolded: {}, cursor: undefined, cycle: undefined }));
}

export function useRunScreen(): RunScreenContext {
  const context = useContext(Context);
  if (!context) throw new Error('A part of the run page stands outside of it.');
  return context;
}

/** Reads from the run; draws again only when the selected value changes. */
export function useRun<T>(select: (view: RunView) => T): T {
  return useStore(useRunScreen().store.view, select);
}

/** Reads from what is being written now. */
export function useLive<T>(select: (live: Live) => T): T {
  return useStore(useRunScreen().store.live, select);
}

/** Whether a part of a row is unfolded, and how to change it. */
export function useUnfolded(key: string, initially: boolean): [boolean, () => void] {
  const { reading } = useRunScreen();
  const unfolded = useStore(reading, (state) => state.unfolded[key] ?? initially);
  const toggle = () =>
    reading.setState(({ unfolded: all }) => ({ unfolded: { ...all, [key]: !(all[key] ?? initially) } }));
  return [unfolded, toggle];
}
