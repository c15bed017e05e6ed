'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RenderedReply, SentRequestReply } from '#lib/api/sent-request.ts';
import type { ForkOpening } from '#lib/browser/drafts/fork-draft.ts';
import type { Live } from '#lib/browser/state/live-text.ts';
import type { RunSource, RunView } from '#lib/browser/state/run-store.ts';
import type { WholeTexts } from '#lib/browser/stream/whole-texts.ts';

/** The reader's view state, kept outside the rows so that it survives their unmounting. */
export interface Reading {
  /** Rows that were opened or closed by hand. */
  readonly unfolded: Readonly<Record<string, boolean>>;
  /** The row the keyboard is at. */
  readonly cursor: string | undefined;
  /** The selected cycle of an exploration; `undefined`: the last. */
  readonly cycle: number | undefined;
}

export interface RunScreenContext {
  store: RunSource;
  reading: StoreApi<Reading>;
  /** Brings the row of an event into view and marks it. */
  goTo: (seq: number) => void;
  /** The server that holds the run; absent where there is none to ask: in a file, on a shared page. */
  server?: RunServer;
  /** Fetches the full text of truncated ones; missing in an exported file, which has them all. */
  whole?: WholeTexts;
}

/** What a page can do with a run beyond showing it. */
export interface RunServer {
  /** Whether the reader can act on the run (stop, approve); false in a replay. */
  operates: boolean;
  /** The run was imported. Its file names the folder, so no new run uses it unless a person chooses it. */
  imported: boolean;
  /** What a model call sent. @throws {ApiError} */
  sentRequest: (call: number) => Promise<SentRequestReply>;
  /** The prompt that Ollama makes of it today; loads the model. Absent where the server is not to be asked for that. */
  renderPrompt?: (call: number) => Promise<RenderedReply>;
  /** Opens the dialog that makes a new run out of the beginning of this one. */
  fork?: (opening: ForkOpening) => void;
  /** The runs it was forked from and into, below the title. */
  family: ReactNode;
  /** The next steps at the bottom of the end card. */
  afterEnd: ReactNode;
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
  if (!context) throw new Error('This component must be inside a RunProvider.');
  return context;
}

/** How the person at the run is called: `you` where the reader is that person, which no file or shared page can know. */
export function useOperatorWord(): 'you' | 'the operator' {
  return useRunScreen().server ? 'you' : 'the operator';
}

/** Reads from the run; draws again only when the selected value changes. */
export function useRun<T>(select: (view: RunView) => T): T {
  return useStore(useRunScreen().store.view, select);
}

/** Selects from the text in progress. */
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
