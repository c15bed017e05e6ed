'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ChangedFilesReply, RevertReply, RevertRequest } from '#lib/api/changed-files.ts';
import type { RenderedReply, SentRequestReply } from '#lib/api/sent-request.ts';
import type { ForkOpening } from '#lib/browser/drafts/fork-opening.ts';
import type { ImageSource } from '#lib/browser/stream/image-source.ts';
import type { WholeTexts } from '#lib/browser/stream/whole-texts.ts';
import type { CallRow } from '#lib/events/timeline.ts';

/** What the reader did to the picture: kept apart from the run, so that it survives rows leaving the screen. */
export interface Reading {
  /** Rows that were opened or closed by hand. */
  readonly unfolded: Readonly<Record<string, boolean>>;
  /** The row the keyboard is at. */
  readonly cursor: string | undefined;
  /** The cycle of an exploration that is looked at; `undefined`: the last. */
  readonly cycle: number | undefined;
  /** The changes to files are being reviewed, beginning at this one, by default at the first. */
  readonly reviewing: { readonly path: string | undefined } | undefined;
}

export interface RunScreenContext {
  reading: StoreApi<Reading>;
  /** Brings the row of an event into view and marks it. */
  goTo: (seq: number) => void;
  /** The server that holds the run; absent where there is none to ask: in a file, on a shared page. */
  server?: RunServer;
  /** Where texts that were cut on their way here are whole; absent in a file, which has them all. */
  whole?: WholeTexts;
  /** Where the bytes of its images are; absent where there are none to get. */
  images?: ImageSource;
}

/** What a page can do with a run beyond showing it. */
export interface RunServer {
  /** Whether the run may be acted on: stopped, its calls decided. Not in a replay, which shows what is long past. */
  operates: boolean;
  /** The run was imported. Its file names the folder, so no new run uses it unless a person chooses it. */
  imported: boolean;
  /** What a model call sent. @throws {ApiError} */
  sentRequest: (call: number) => Promise<SentRequestReply>;
  /** The prompt that Ollama makes of it today; loads the model. Absent where the server is not to be asked for that. */
  renderPrompt?: (call: number) => Promise<RenderedReply>;
  /** Opens the dialog that makes a new run out of the beginning of this one. */
  fork?: (opening: ForkOpening) => void;
  /** Opens the editor that sends a model call again, with changes. */
  rerun?: (row: CallRow) => void;
  /** The files it changed as they are now, and how to revert them. */
  files: {
    /** @throws {ApiError} */
    list: () => Promise<ChangedFilesReply>;
    /** @throws {ApiError} */
    revert: (request: RevertRequest) => Promise<RevertReply>;
  };
  /** The runs it was forked from and into, below the title. */
  family: ReactNode;
  /** The foot of the end card: what to do next. */
  afterEnd: ReactNode;
}

export const ScreenContext = createContext<RunScreenContext | undefined>(undefined);

export function createReading(): StoreApi<Reading> {
  return createStore<Reading>(() => ({
    unfolded: {},
    cursor: undefined,
    cycle: undefined,
    reviewing: undefined,
  }));
}

export function useRunScreen(): RunScreenContext {
  const context = useContext(ScreenContext);
  if (!context) throw new Error('This component must be inside the run screen.');
  return context;
}

/** How the person at the run is called: `you` where the reader is that person, which no file or shared page can know. */
export function useOperatorWord(): 'you' | 'the operator' {
  return useRunScreen().server ? 'you' : 'the operator';
}

/** Whether a part of a row is unfolded, and how to change it. */
export function useUnfolded(key: string, initially = false): [boolean, () => void] {
  const { reading } = useRunScreen();
  const unfolded = useStore(reading, (state) => state.unfolded[key] ?? initially);
  const toggle = () =>
    reading.setState(({ unfolded: all }) => ({ unfolded: { ...all, [key]: !(all[key] ?? initially) } }));
  return [unfolded, toggle];
}
