'use client';

import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { ChangedFilesReply, RevertReply } from '#lib/api/changed-files.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import type { RenderedReply, SentRequestReply } from '#lib/api/sent-request.ts';
import { getJson, postJson } from '#lib/browser/api.ts';
import type { ForkOpening } from '#lib/browser/drafts/fork-opening.ts';
import type { Player } from '#lib/browser/state/player.ts';
import type { RunStore } from '#lib/browser/state/run-store.ts';
import type { RunSource } from '#lib/browser/state/run-view.ts';
import { imagesAt } from '#lib/browser/stream/image-source.ts';
import { wholeTextsAt } from '#lib/browser/stream/whole-texts.ts';
import type { CallRow } from '#lib/events/timeline.ts';
import { Family } from '../fork/family.tsx';
import { useLoaded } from '../hooks/use-loaded.ts';
import { ClockContext, type PageClock } from '../hooks/use-now.ts';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { LeaveButton, ReplayButton } from '../player/replay-controls.tsx';
import { Announcer } from '../run-view/announcer.tsx';
import { ApprovalBar } from '../run-view/approval-bar.tsx';
import { KeySheet } from '../run-view/key-sheet.tsx';
import { RunBody } from '../run-view/run-body.tsx';
import { RunProvider } from '../run-view/run-context.tsx';
import { RunHeader } from '../run-view/run-header.tsx';
import { createReading, type RunServer } from '../run-view/screen-context.ts';
import type { TimelineHandle } from '../run-view/timeline/timeline.tsx';
import { ShareButton } from '../share/share-button.tsx';
import { Missing } from '../shell/missing.tsx';
import { SignIn } from '../shell/problem.tsx';
import { AfterEnd } from './after-end.tsx';
import { DeleteRun } from './delete-run.tsx';
import { ImportedBar } from './imported-bar.tsx';
import { MessageBox } from './message-box.tsx';
import { PageState, RunCommands } from './page-state.tsx';
import { NotesLine, RunMarks, RunNotesProvider, TitleField, useNoted } from './run-notes.tsx';

type Fork = typeof import('../fork/fork-dialog.tsx');
type Rerun = typeof import('../rerun/rerun-dialog.tsx');
type Replayed = typeof import('../player/replay.tsx');

const loadFork = () => import('../fork/fork-dialog.tsx');
const loadRerun = () => import('../rerun/rerun-dialog.tsx');
const loadReplay = () => import('../player/replay.tsx');

/** The actions for a run in progress, below its timeline. */
function Foot() {
  return (
    <>
      <ApprovalBar />
      <MessageBox />
    </>
  );
}

/** One run: header, timeline, and the ledger of its guardrails. Shows what is in the store, wherever that comes from. */
export function RunScreen({
  store,
  summary,
}: {
  store: RunStore;
  /** What the server knows about the run besides its log: notes, and where it came from. */
  summary?: RunSummary;
}) {
  const importedAt = summary?.imported_at;
  const [reading] = useState(createReading);
  const timeline = useRef<TimelineHandle>(null);
  const goTo = useCallback((seq: number) => timeline.current?.goTo(seq), []);
  const goToEnd = useCallback(() => timeline.current?.goToEnd(), []);
  const search = useCallback(() => timeline.current?.search(), []);
  const goToIteration = useCallback(() => timeline.current?.goToIteration(), []);
  const problem = useStore(store.view, (view) => view.connection.problem);
  const { opened: forking, open: openFork, close: closeFork } = useLoaded<Fork, ForkOpening>(loadFork);
  const { opened: rerun, open: openRerun, close: closeRerun } = useLoaded<Rerun, CallRow>(loadRerun);
  const ended = useStore(store.view, (view) => view.run.phase === 'ended');
  const imported = importedAt !== undefined;
  const operates = ended || !imported;
  const server = useMemo(
    () => ({
      ...serverOf(store),
      fork: (opening: ForkOpening) => openFork(() => opening),
      rerun: (row: CallRow) => openRerun(() => row),
      operates,
      imported,
    }),
    [store, openFork, openRerun, operates, imported],
  );
  const whole = useMemo(() => wholeTextsAt(() => pathOf(store)), [store]);
  const images = useMemo(() => imagesAt(() => pathOf(store)), [store]);
  const context = useMemo(
    () => ({ store, reading, goTo, server, whole, images }),
    [store, reading, goTo, server, whole, images],
  );
  const { opened: replayed, open: openReplay, close: leaveReplay } = useLoaded<Replayed, Player>(loadReplay);
  const replay = useCallback(() => openReplay(({ startReplay }) => startReplay(store)), [openReplay, store]);
  const past = useMemo(() => ({ ...server, operates: false }), [server]);
  if (problem) return <Refused problem={problem} />;
  return (
    <RunProvider value={context}>
      <RunNotesProvider store={store} summary={summary}>
        <StoppedClock store={store} stopped={imported && !ended}>
          <PageState />
          <RunCommands
            onGoToEnd={goToEnd}
            onSearch={search}
            onGoToIteration={goToIteration}
            onReplay={ended && !replayed ? replay : undefined}
          />
          <main
            id="main"
            className="flex h-(--room) min-h-0 flex-col [--room:calc(100dvh-3.0625rem-var(--banner,0rem)-var(--header-banner,0rem))] short:h-auto short:min-h-(--room) print:block print:h-auto"
          >
            {replayed ? (
              <replayed.code.Replay
                player={replayed.value}
                timeline={timeline}
                reading={reading}
                server={past}
                whole={whole}
                images={images}
                light="Replay"
                end={<LeaveButton onClick={leaveReplay} />}
              />
            ) : (
              <>
                <NotedHeader
                  onGoToEnd={goToEnd}
                  end={<RunActions replay={ended ? replay : undefined} imported={imported} />}
                />
                {imported && <ImportedBar at={importedAt} ended={ended} />}
                <RunBody timeline={timeline} foot={imported ? undefined : <Foot />} />
                <Announcer />
                <KeySheet />
              </>
            )}
            {rerun && <rerun.code.RerunDialog row={rerun.value} onClose={closeRerun} />}
            {forking && (
              <forking.code.ForkDialog
                runId={store.view.getState().run.runId}
                opening={forking.value}
                onClose={closeFork}
              />
            )}
          </main>
        </StoppedClock>
      </RunNotesProvider>
    </RunProvider>
  );
}

/** The header with the title that a person gave, and the controls for notes about the run. */
function NotedHeader(props: { onGoToEnd: () => void; end: ReactNode }) {
  const [editing, setEditing] = useState(false);
  const title = useNoted()?.annotations?.title;
  return (
    <RunHeader
      {...props}
      heading={editing ? <TitleField onDone={() => setEditing(false)} /> : title}
      titleEnd={<RunMarks onRename={() => setEditing(true)} />}
    />
  );
}

/** In a log that ends before its run did, the time is that of its last event. */
function StoppedClock({
  store,
  stopped,
  children,
}: {
  store: RunSource;
  stopped: boolean;
  children: ReactNode;
}) {
  const clock = useMemo<PageClock>(
    () => ({
      now: () => store.view.getState().run.updatedAt,
      subscribe: (listener) => store.view.subscribe(listener),
    }),
    [store],
  );
  return <ClockContext value={stopped ? clock : undefined}>{children}</ClockContext>;
}

function pathOf(store: RunSource): string {
  return `/api/runs/${encodeURIComponent(store.view.getState().run.runId)}`;
}

function serverOf(store: RunSource): RunServer {
  return {
    operates: true,
    imported: false,
    sentRequest: (call) => getJson<SentRequestReply>(`${pathOf(store)}/calls/${call}/request`),
    renderPrompt: (call) => postJson<RenderedReply>(`${pathOf(store)}/calls/${call}/render`, {}),
    files: {
      list: () => getJson<ChangedFilesReply>(`${pathOf(store)}/files`),
      revert: (request) => postJson<RevertReply>(`${pathOf(store)}/files/revert`, request),
    },
    family: (
      <>
        <Family />
        <NotesLine />
      </>
    ),
    afterEnd: <AfterEnd />,
  };
}

/** Actions for a run other than stopping it. */
function RunActions({ replay, imported }: { replay: (() => void) | undefined; imported: boolean }) {
  return (
    <span className="flex items-center gap-1.5 max-sm:ml-auto print:hidden">
      {replay && <ReplayButton onClick={replay} />}
      <ShareButton />
      <DeleteRun imported={imported} />
    </span>
  );
}

/** In place of a run that the server does not give: it is unknown or deleted, or this browser is not signed in. */
function Refused({ problem }: { problem: { code: string; message: string; hint?: string } }) {
  const deleted = problem.code === 'run_deleted';
  usePageTitle(deleted ? `${problem.message.replace(/\.$/, '')} · Loupe` : undefined);
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-16 sm:px-6">
      {problem.code === 'unauthorized' || problem.code === 'sign_in_again' ? (
        <SignIn
          again={problem.code === 'sign_in_again' ? problem : undefined}
          onDone={() => location.reload()}
        />
      ) : (
        <Missing
          message={problem.message}
          hint={deleted ? problem.hint : undefined}
          announced={deleted}
          href="/"
          back="All runs"
        />
      )}
    </main>
  );
}
