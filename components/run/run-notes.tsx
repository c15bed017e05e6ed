'use client';

import { Archive, Pencil, Pin, StickyNote } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { AnnotatedReply } from '#lib/api/replies.ts';
import type { AnnotationChange } from '#lib/api/run-annotations.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { patchJson } from '#lib/browser/api.ts';
import { focusSoon } from '#lib/browser/focus-soon.ts';
import type { RunStore } from '#lib/browser/state/run-store.ts';
import { watchRuns } from '#lib/browser/stream/hub-client.ts';
import { isComposing } from '#lib/browser/typing.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { MAX_TITLE_CHARS } from '#lib/events/limits.ts';
import { ScoreThumbs } from '../annotate/score-field.tsx';
import { useLoaded } from '../hooks/use-loaded.ts';
import { type RequestProblem, useRequest } from '../hooks/use-request.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorLine } from '../ui/error-line.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';

type Details = typeof import('../annotate/details-dialog.tsx');

const loadDetails = () => import('../annotate/details-dialog.tsx');

interface Noted {
  /** `undefined` until it is read. */
  run: RunSummary | undefined;
  /** One change at a time: a late reply would hide a later one. */
  annotate: (change: AnnotationChange) => Promise<boolean>;
  busy: boolean;
  /** Why the last change failed. */
  problem: RequestProblem | undefined;
}

const NotedContext = createContext<Noted | undefined>(undefined);

/** Annotations of the run on the page, updated from other tabs once the run has ended. */
export function RunNotesProvider({
  store,
  summary,
  children,
}: {
  store: RunStore;
  /** As it was read when the page was opened. */
  summary: RunSummary | undefined;
  children: ReactNode;
}) {
  const runId = useStore(store.view, (view) => view.run.runId);
  const ended = useStore(store.view, (view) => view.connection.status === 'closed');
  const [newer, show] = useState<RunSummary>();
  useEffect(() => {
    if (!ended) return;
    return watchRuns({
      runs: (runs) => {
        const found = runs.find(({ id }) => id === runId);
        if (found) show(found);
      },
      deleted: () => undefined,
      signal: () => undefined,
    });
  }, [ended, runId]);
  const run = newer ?? summary;
  const { busy, problem, run: ask } = useRequest();
  const value = useMemo(
    () => ({
      run,
      busy,
      problem,
      annotate: (change: AnnotationChange) =>
        ask(async () => {
          if (!run) return;
          show((await patchJson<AnnotatedReply>(`/api/runs/${encodeURIComponent(run.id)}`, change)).run);
        }),
    }),
    [run, busy, problem, ask],
  );
  return <NotedContext value={value}>{children}</NotedContext>;
}

/** The run's summary with what was noted about it. */
export function useNoted(): RunSummary | undefined {
  return useNotes().run;
}

function useNotes(): Noted {
  const notes = useContext(NotedContext);
  if (!notes) throw new Error('This component must be inside a RunNotesProvider.');
  return notes;
}

const icon = 'grid size-7 place-items-center rounded-md';
const unset = 'text-ink-3 hover:bg-sunken hover:text-ink';

/**
 * What a person can note about the run, in the row of its title: rename, pin, score, details. A phone has room for the
 * details only, whose dialog has all of these, and for what is set.
 */
export function RunMarks({ onRename }: { onRename: () => void }) {
  const { run, busy, problem, annotate } = useNotes();
  const { opened, open, close } = useLoaded<Details, undefined>(loadDetails);
  if (!run) return null;
  const { tags = [], note, score, pinned = false } = run.annotations ?? {};
  const details = tags.length > 0 || note !== undefined ? 'Edit details' : 'Add tags or a note';
  return (
    <span className="relative -my-0.5 flex shrink-0 items-center self-center touch:-my-2.5 print:hidden">
      <button
        type="button"
        id={RENAME}
        aria-label="Rename this run"
        title="Rename"
        onClick={onRename}
        className={cx(icon, unset, 'max-sm:hidden')}
      >
        <Pencil className="size-3.5" aria-hidden="true" />
      </button>
      <button
        type="button"
        aria-label={pinned ? 'Unpin this run' : 'Pin this run'}
        aria-pressed={pinned}
        title={pinned ? 'Pinned to the top of the run list' : 'Pin to the top of the run list'}
        disabled={busy}
        onClick={() => void annotate({ pinned: !pinned })}
        className={cx(
          icon,
          pinned ? 'bg-brass-wash text-brass max-sm:bg-transparent' : unset,
          !pinned && 'max-sm:hidden',
        )}
      >
        <Pin className="size-4" aria-hidden="true" />
      </button>
      <ScoreThumbs score={score} disabled={busy} onChange={(value) => void annotate({ score: value })} />
      <button
        type="button"
        aria-label={details}
        title={details}
        disabled={busy}
        onClick={() => open(() => undefined)}
        className={cx(icon, unset)}
      >
        <StickyNote className="size-4" aria-hidden="true" />
      </button>
      {opened && (
        <opened.code.DetailsDialog run={run} request={{ busy, problem }} onSave={annotate} onClose={close} />
      )}
    </span>
  );
}

/** The ID of the button that renames the run, which has the focus again after a key has ended it. */
const RENAME = 'rename-run';

/** The field in place of the title: Enter saves, Escape leaves it. Empty, the run has its own title again. */
export function TitleField({ onDone }: { onDone: () => void }) {
  const { run, busy, problem, annotate } = useNotes();
  // The title may change while the field is open, in another tab.
  const [opened] = useState(run?.title ?? '');
  const [title, setTitle] = useState(opened);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const done = () => {
    // A late reply must not close the field that was opened after this one.
    if (!field.current) return;
    const byKey = document.activeElement === field.current;
    onDone();
    if (byKey) focusSoon(() => document.getElementById(RENAME));
  };
  const save = async () => {
    if (busy) return;
    const text = title.trim();
    if (text === opened || (await annotate({ title: text === '' ? null : text }))) done();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        ref={field}
        aria-label="Title"
        value={title}
        // A field that is disabled loses the focus.
        readOnly={busy}
        maxLength={MAX_TITLE_CHARS}
        autoComplete="off"
        onChange={(event) => setTitle(event.target.value)}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return;
          event.stopPropagation();
          done();
        }}
        className="field py-0.5 text-lg font-semibold"
      />
      {problem && <ErrorLine error={problem} />}
    </form>
  );
}

/** Tags and note of the run below its title, if it has any. */
export function NotesLine() {
  const { run, problem } = useNotes();
  const { tags = [], note, archived } = run?.annotations ?? {};
  if (!problem && !archived && tags.length === 0 && note === undefined) return null;
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm [@media(max-height:35rem)]:hidden">
      {archived && (
        <Badge>
          <Archive className="size-3" aria-hidden="true" />
          archived
        </Badge>
      )}
      {tags.map((tag) => (
        <Link
          key={tag}
          href={`/?tag=${encodeURIComponent(tag)}`}
          title={plainVisibleLine(tag)}
          className="foreign reach max-w-48 truncate rounded-full bg-brass-wash px-2.5 leading-6 text-ink-2 hover:text-ink"
        >
          <ForeignText text={tag} />
        </Link>
      ))}
      {note !== undefined && (
        <p className="foreign max-h-[20dvh] max-w-read basis-full overflow-y-auto whitespace-pre-wrap text-ink-2">
          <ForeignText text={note} />
        </p>
      )}
      {problem && <ErrorLine error={problem} />}
    </div>
  );
}
