'use client';

import { useState } from 'react';
import type { ChangedFile, FileState } from '#lib/api/changed-files.ts';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { saveText } from '#lib/browser/save-text.ts';
import { formatBytes } from '#lib/browser/words/format.ts';
import { plainVisibleText } from '#lib/browser/words/visible-text.ts';
import { type EventText, type FileChange, wholeText } from '#lib/events/file-changes.ts';
import type { ToolRow } from '#lib/events/timeline.ts';
import { useRequest } from '../../hooks/use-request.ts';
import { Button } from '../../ui/button.tsx';
import { FileDiff } from '../../ui/content/file-diff.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { EventLink } from '../../ui/event-link.tsx';
import { ForeignName } from '../../ui/foreign-name.tsx';
import { useRunScreen } from '../screen-context.ts';
import { LongText } from '../timeline/long-text.tsx';

const STATES: Readonly<Record<FileState, string>> = {
  as_left: '',
  as_before: 'as before the run',
  changed: 'changed since the run',
  missing: 'removed since the run',
  unknown: '',
};

/** Calls linked before the rest is only counted. */
const MAX_LINKS = 12;

/** One changed file: its diff, or its content as the run left it; its calls; and buttons to copy and revert it. */
export function ChangedFilePanel({
  change,
  file,
  busy,
  onRevert,
  onLeave,
}: {
  change: FileChange;
  /** Its current state on the server's disk, if known. */
  file: ChangedFile | undefined;
  busy: boolean;
  onRevert: () => void;
  /** Called before the timeline shows a call. */
  onLeave: () => void;
}) {
  const { path, before } = change;
  const whole = useWhole(change);
  const [shown, setShown] = useState<'diff' | 'content'>('diff');
  const comparable = before.kind === 'text' || before.kind === 'absent';
  const state = file ? STATES[file.state] : '';
  return (
    <section
      ref={keepFocus}
      data-path={path}
      aria-label={plainVisibleText(path)}
      className="grid min-w-0 gap-2"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <h3 className="foreign min-w-0 font-mono text-sm font-semibold">
          <ForeignName text={path} isPath />
        </h3>
        {state !== '' && <span className="text-sm text-ink-3">{state}</span>}
        <span className="ml-auto flex flex-wrap items-center gap-1.5 print:hidden">
          {comparable && (
            <Button size="sm" kind="quiet" onClick={() => setShown(shown === 'diff' ? 'content' : 'diff')}>
              {shown === 'diff' ? 'Show content' : 'Show diff'}
            </Button>
          )}
          <CopyButton text={whole.after} label="Copy the content" />
          <Button size="sm" kind="quiet" onClick={() => saveText(whole.after, fileName(path))}>
            Download
          </Button>
          {file?.revertible && (
            <Button size="sm" disabled={busy} onClick={onRevert}>
              Revert
            </Button>
          )}
        </span>
      </div>
      {whole.chars > 0 && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-ink-3">
          Only the beginning of the file is here.
          <Button size="sm" disabled={whole.busy} onClick={whole.load}>
            Load the whole file ({formatBytes(whole.chars)})
          </Button>
          {whole.problem && <ErrorLine error={whole.problem} />}
        </p>
      )}
      {comparable && shown === 'diff' ? (
        <FileDiff path={path} before={whole.before} after={whole.after} />
      ) : (
        <div className="rounded-md border bg-sunken px-3 py-2 font-mono text-xs">
          <LongText
            id={`changes.${path}`}
            text={whole.after}
            label="content"
            as={{ name: 'content', path }}
            startsUnfolded
          />
        </div>
      )}
      <Calls change={change} onLeave={onLeave} />
    </section>
  );
}

function Calls({ change: { before, rows }, onLeave }: { change: FileChange; onLeave: () => void }) {
  const { goTo } = useRunScreen();
  return (
    <p className="tnum flex flex-wrap gap-x-2 text-xs text-ink-3">
      {before.kind === 'binary' && <span>Replaced a binary file of {formatBytes(before.bytes)}.</span>}
      {before.kind === 'unknown' && <span>The log does not have its earlier content.</span>}
      <span>Written at</span>
      {rows.slice(0, MAX_LINKS).map((row) => (
        <EventLink
          key={row.key}
          seq={seqOf(row)}
          onGo={(seq) => {
            onLeave();
            goTo(seq);
          }}
        >
          #{seqOf(row)}
        </EventLink>
      ))}
      {rows.length > MAX_LINKS && <span>and {rows.length - MAX_LINKS} more</span>}
    </p>
  );
}

/** The event that leads to the row of a call. */
function seqOf({ seq, file, resultSeq }: ToolRow): number {
  return resultSeq ?? file?.seq ?? seq;
}

/** Both versions of a file, and a function that fetches them in full if they were truncated for viewers. */
function useWhole({ before, after }: FileChange) {
  const { whole } = useRunScreen();
  const [fetched, setFetched] = useState<{ before?: string; after: string }>();
  const { busy, problem, run } = useRequest();
  const load = () =>
    void run(async () => {
      if (!whole) return;
      const value = async (text: EventText) => (await wholeText(text, whole.value)) ?? text.text;
      setFetched({
        ...(before.kind === 'text' && { before: await value(before) }),
        after: await value(after),
      });
    });
  const cut = Math.max(after.cut?.chars ?? 0, before.kind === 'text' ? (before.cut?.chars ?? 0) : 0);
  return {
    before: fetched?.before ?? (before.kind === 'text' ? before.text : undefined),
    after: fetched?.after ?? after.text,
    /** Characters of the larger version, if one is not here whole; otherwise 0. */
    chars: whole && !fetched ? cut : 0,
    busy,
    problem,
    load,
  };
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
