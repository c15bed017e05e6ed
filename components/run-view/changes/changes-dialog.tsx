'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { ChangedFilesReply, RevertReply } from '#lib/api/changed-files.ts';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { plural } from '#lib/browser/words/format.ts';
import type { FileChange } from '#lib/events/file-changes.ts';
import { useRequest } from '../../hooks/use-request.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogHeader } from '../../ui/dialog-header.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { ForeignName } from '../../ui/foreign-name.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { useRunScreen } from '../screen-context.ts';
import { ChangedFilePanel } from './changed-file-panel.tsx';

/** All changes of a run to files, as diffs, with buttons to revert them if the run's server is available. */
export function ChangesDialog({
  changes,
  first,
  onClose,
}: {
  changes: readonly FileChange[];
  /** The path of the file to show first. */
  first: string | undefined;
  onClose: () => void;
}) {
  const { reply, busy, problem, revert } = useFiles();
  const { refused } = reply ?? {};
  // Files already restored are shown as such and need no warning.
  const left = (reply?.left ?? []).filter(
    ({ path }) => reply?.files.find((file) => file.path === path)?.state !== 'as_before',
  );
  const revertible = reply?.files.filter((file) => file.revertible).length ?? 0;
  return (
    <Dialog
      open
      dismissable
      onClose={onClose}
      aria-labelledby="changes-title"
      className="h-[min(90dvh,70rem)] w-[64rem] p-0"
    >
      <div ref={keepFocus} className="flex h-full flex-col">
        <DialogHeader
          id="changes-title"
          title={`${plural(changes.length, 'file')} changed`}
          onClose={onClose}
          className="border-b px-4 py-3"
        >
          {revertible > 0 && <RevertAll count={revertible} busy={busy} onRevert={() => revert()} />}
        </DialogHeader>
        <Changes first={first}>
          {refused && <Refusal refused={refused} />}
          {problem && <ErrorNote error={problem} />}
          {left.length > 0 && <LeftFiles left={left} />}
          {changes.map((change) => (
            <ChangedFilePanel
              key={change.path}
              change={change}
              file={reply?.files.find(({ path }) => path === change.path)}
              busy={busy}
              onRevert={() => revert(change.path)}
              onLeave={onClose}
            />
          ))}
        </Changes>
      </div>
    </Dialog>
  );
}

/** Why no file can be reverted now, with a link to the run that is in the way. */
function Refusal({ refused }: { refused: NonNullable<ChangedFilesReply['refused']> }) {
  const { message, hint, run_id: runId } = refused;
  const text = [message, hint].filter(Boolean).join(' ');
  const at = runId === undefined ? -1 : text.indexOf(runId);
  return (
    <p className="text-sm text-ink-2">
      {runId === undefined || at < 0 ? (
        <ForeignName text={text} max={400} />
      ) : (
        <>
          {text.slice(0, at)}
          <a
            href={`/runs/${encodeURIComponent(runId)}`}
            className="font-mono text-xs text-brass underline decoration-brass-line underline-offset-2 hover:decoration-brass"
          >
            {runId}
          </a>
          {text.slice(at + runId.length)}
        </>
      )}
    </p>
  );
}

/** Asks once before it reverts all files. */
function RevertAll({ count, busy, onRevert }: { count: number; busy: boolean; onRevert: () => void }) {
  const [asking, setAsking] = useState(false);
  if (!asking) {
    return (
      <Button size="sm" disabled={busy} onClick={() => setAsking(true)}>
        Revert all
      </Button>
    );
  }
  return (
    <>
      <span tabIndex={-1} className="text-sm">
        Restore {count === 1 ? 'its' : 'their'} content from before the run?
      </span>
      <Button
        size="sm"
        kind="danger"
        disabled={busy}
        onClick={() => {
          setAsking(false);
          onRevert();
        }}
      >
        Revert {plural(count, 'file')}
      </Button>
      <Button size="sm" onClick={() => setAsking(false)}>
        Keep
      </Button>
    </>
  );
}

/** The scrolling part, which begins at the chosen file. */
function Changes({ first, children }: { first: string | undefined; children: ReactNode }) {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    if (first === undefined) return;
    const panels = list.current?.querySelectorAll<HTMLElement>('[data-path]') ?? [];
    [...panels].find((panel) => panel.dataset.path === first)?.scrollIntoView({ block: 'start' });
  }, [first]);
  return (
    <ScrollRegion
      ref={list}
      label="Changes"
      className="grid min-h-0 flex-1 content-start gap-6 overflow-y-auto px-4 py-4"
    >
      {children}
    </ScrollRegion>
  );
}

function LeftFiles({ left }: { left: RevertReply['left'] }) {
  return (
    <div role="status" className="rounded-md border border-warn/40 bg-warn-wash px-3.5 py-2.5 text-sm">
      <p className="font-medium text-warn">Not reverted</p>
      <ul className="mt-1 grid gap-0.5">
        {left.map(({ path, message }) => (
          <li key={path}>
            <code className="foreign">
              <ForeignName text={path} isPath />
            </code>{' '}
            {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The current files on the server's disk, if there is a server to ask. */
function useFiles() {
  const server = useRunScreen().server?.files;
  const [reply, setReply] = useState<ChangedFilesReply & Partial<RevertReply>>();
  const { busy, problem, run } = useRequest();
  useEffect(() => {
    if (server) void run(async () => setReply(await server.list()));
  }, [server, run]);
  /** @param path default: all files */
  const revert = (path?: string) => {
    if (!server) return;
    void run(async () => setReply(await server.revert(path === undefined ? {} : { paths: [path] })));
  };
  return { reply, busy, problem, revert };
}
