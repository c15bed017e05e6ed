'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ChangedFilesReply, RevertReply, RevertRequest } from '#lib/api/changed-files.ts';
import type { RenderedReply, SentRequestReply } from '#lib/api/sent-request.ts';
import type { ForkOpening } from '#lib/browser/drafts/fork-opening.ts';
import type { ImageSource } from '#lib/browser/stream/image-source.ts';
import type { WholeTexts } from '#lib/browser/stream/whole-texts.ts';
import type { OperatorWord } from '#lib/browser/words/operator-word.ts';
import type { CallRow } from '#lib/events/timeline.ts';
import { type Found, useFound } from '../ui/found-words.ts';

/** The reader's view settings, kept apart from the run, so that they survive rows leaving the screen. */
export interface Reading {
  /** Rows that were opened or closed by hand. */
  readonly unfolded: Readonly<Record<string, boolean>>;
  /** The row the keyboard is at. */
  readonly cursor: string | undefined;
  /** The row that a search led to, by its key, and the words in it. */
  readonly found: (Found & { readonly row: string }) | undefined;
  /** The cycle of an exploration that is shown; `undefined`: the last. */
  readonly cycle: number | undefined;
  /** The changes to files are being reviewed, beginning at this one, by default at the first. */
  readonly reviewing: { readonly path: string | undefined } | undefined;
}

export interface RunScreenContext {
  reading: StoreApi<Reading>;
  /** Brings the row of an event into view and marks it. */
  goTo: (seq: number) => void;
  /** The server of the run; absent if there is none, as in a file or on a shared page. */
  server?: RunServer;
  /** The source of full texts that arrived truncated; absent in a file, which has all texts. */
  whole?: WholeTexts;
  /** The source of image bytes; absent if there is none. */
  images?: ImageSource;
}

/** Actions of a page on a run. */
export interface RunServer {
  /** Whether actions such as stopping or deciding calls are possible. Not in a replay, which shows the past. */
  operates: boolean;
  /** The run was imported. Its file names the folder, so no new run uses it unless a person chooses it. */
  imported: boolean;
  /** The request of a model call. @throws {ApiError} */
  sentRequest: (call: number) => Promise<SentRequestReply>;
  /** The prompt that Ollama renders from it today, which loads the model. Absent if the server must not do that. */
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
    found: undefined,
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
export function useOperatorWord(): OperatorWord {
  return useRunScreen().server ? 'you' : 'the operator';
}

/** The search that led to a row. */
export function useFoundRow(key: string): Found | undefined {
  const { reading } = useRunScreen();
  return useStore(reading, ({ found }) => (found?.row === key ? found : undefined));
}

/** Whether a part of a row is unfolded, how to change that, and how to unfold it if it is not. */
export function useUnfolded(
  key: string,
  initially = false,
): [isUnfolded: boolean, toggle: () => void, unfold: () => void] {
  const { reading } = useRunScreen();
  const unfolded = useStore(reading, (state) => state.unfolded[key] ?? initially);
  const toggle = () =>
    reading.setState(({ unfolded: all }) => ({ unfolded: { ...all, [key]: !(all[key] ?? initially) } }));
  const unfold = () => reading.setState(({ unfolded: all }) => ({ unfolded: { ...all, [key]: true } }));
  return [unfolded, toggle, unfold];
}

/** The same for a part that a search unfolds when it leads to words that the folded part lacks. */
export function useUnfoldedByFound(
  key: string,
  lacks: (words: readonly string[], isBeyond: boolean) => boolean,
  initially = false,
): ReturnType<typeof useUnfolded> {
  const [unfolded, toggle, unfold] = useUnfolded(key, initially);
  useFound((words, isBeyond) => {
    if (!unfolded && lacks(words, isBeyond)) unfold();
  });
  return [unfolded, toggle, unfold];
}
