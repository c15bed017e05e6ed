'use client';

import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { FolderReply, RecentFoldersReply } from '#lib/api/folder.ts';
import { getJson } from '#lib/browser/api.ts';
import { folderName, isWholePath, pastedPath, pathInField } from '#lib/browser/drafts/folder-path.ts';
import type { FolderChoice } from '#lib/browser/drafts/run-draft.ts';
import { plural } from '#lib/browser/words/format.ts';
import { plainVisibleLine, shortLine } from '#lib/browser/words/visible-text.ts';
import { useApi } from '../hooks/use-api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ABOVE_FOOTER, DialogFooter } from '../ui/dialog-footer.tsx';
import { DialogHeader } from '../ui/dialog-header.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { FolderList } from './folder-list.tsx';

interface Props {
  /** The initial folder; the home folder if empty. */
  initial: string;
  /** The name of a dropped folder whose path the browser did not reveal. */
  dropped?: string;
  /** Offers a new folder too. */
  offersFresh?: boolean;
  onChoose: (choice: Pick<FolderChoice, 'workspaceKind' | 'workspace'>) => void;
  onClose: () => void;
}

/** Chooses a folder on the machine where Loupe runs: a recent one, by browsing, or by its path. */
export function FolderDialog(props: Props) {
  return (
    <Dialog
      open
      dismissable
      onClose={props.onClose}
      aria-labelledby="folder-title"
      className={cx('w-[36rem] overflow-y-auto border-line-strong', ABOVE_FOOTER)}
    >
      <Chooser {...props} />
    </Dialog>
  );
}

function Chooser({ initial, dropped, offersFresh = false, onChoose, onClose }: Props) {
  const [at, setAt] = useState(isWholePath(initial) ? initial : '');
  const [typed, setTyped] = useState<string>();
  const [hidden, setHidden] = useState(false);
  const [byKey, setByKey] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // After the dialog was opened, which focuses its first control.
  useEffect(() => field.current?.focus(), []);
  const listing = useApi<FolderReply>(pathOf(at, hidden));
  const { busy, problem, setProblem, run } = useRequest();
  const folder = listing.data;
  // The next typed text replaces the path, even if the path arrives late.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each new path
  useLayoutEffect(() => {
    if (typed === undefined && document.activeElement === field.current) field.current?.select();
  }, [folder?.path]);
  /** How often the folder in the field was changed: an answer about an earlier one is too late. */
  const moves = useRef(0);
  const go = (path: string) => {
    moves.current += 1;
    setProblem(undefined);
    setTyped(undefined);
    setAt(path);
  };
  const up = () => {
    if (folder?.parent !== undefined) go(folder.parent);
  };
  const shown = pathInField({
    typed,
    wanted: at,
    listed: folder?.path,
    failed: listing.error !== undefined,
  });
  const path = pastedPath(shown);
  /** Uses the folder in the field if it exists, and shows it if no run can work there. */
  const use = () =>
    run(async () => {
      const asked = moves.current;
      const isLate = () => !field.current || moves.current !== asked;
      const found = await getJson<FolderReply>(pathOf(path, hidden)).catch((error: unknown) => {
        if (!isLate()) throw error;
      });
      if (!found || isLate()) return;
      if (found.refused) {
        go(found.path);
        setProblem(found.refused);
        return;
      }
      onChoose({ workspaceKind: 'folder', workspace: found.path });
    });
  const error = problem ?? (typed === undefined ? listing.error : undefined);
  return (
    <form
      className="grid gap-3 p-4 sm:p-5"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation(); // React passes it on to the form that opened the dialog
        if (typed === undefined || path === folder?.path) void use();
        else go(path);
      }}
    >
      <DialogHeader id="folder-title" title="Choose a folder" onClose={onClose} />
      {dropped !== undefined && (
        <p role="status" className="foreign rounded-md bg-sunken px-3 py-2 text-sm text-ink-2">
          Browsers don't reveal where a dropped folder is. Choose “
          <ShortName text={dropped} max={60} />” here, or paste its path.
        </p>
      )}
      <Recent onChoose={(workspace) => onChoose({ workspaceKind: 'folder', workspace })} />
      <label className="block">
        <span className="mb-1 block text-sm font-medium">Path</span>
        <input
          className="field font-mono text-sm"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          ref={field}
          placeholder="~/projects/reports"
          value={shown}
          onFocus={(event) => event.target.select()}
          onChange={(event) => {
            setByKey(false);
            moves.current += 1;
            setTyped(event.target.value);
          }}
        />
      </label>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Button size="sm" className="max-sm:h-11" onClick={up} disabled={folder?.parent === undefined}>
          Up
        </Button>
        <Button
          size="sm"
          className="max-sm:h-11"
          onClick={() => go('~')}
          disabled={folder === undefined || folder.path === folder.home}
        >
          Home
        </Button>
        <label className="ml-auto flex items-center gap-2 text-sm text-ink-2">
          <input
            type="checkbox"
            className="accent-brass-fill"
            checked={hidden}
            onChange={(event) => setHidden(event.target.checked)}
          />
          Hidden folders{folder && folder.hidden > 0 ? ` (${folder.hidden})` : ''}
        </label>
      </div>
      <FolderList
        label={folder ? `Folders in ${plainVisibleLine(folder.path)}` : 'Folders'}
        folders={folder?.folders ?? []}
        focused={byKey}
        onOpen={(next) => {
          setByKey(true);
          go(next);
        }}
        onUp={() => {
          setByKey(true);
          up();
        }}
      />
      <p className="text-xs text-ink-3" role="status">
        {folder && contentWords(folder)}
      </p>
      {error && <ErrorNote error={error} />}
      <DialogFooter>
        {offersFresh && (
          <Button
            kind="quiet"
            className="mr-auto"
            onClick={() => onChoose({ workspaceKind: 'fresh', workspace: '' })}
          >
            Use a fresh folder
          </Button>
        )}
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button kind="primary" onClick={() => void use()} disabled={busy || path === ''}>
          <span className="max-w-48 truncate">Use {shortLine(folderName(path), 40) || 'folder'}</span>
        </Button>
      </DialogFooter>
    </form>
  );
}

/** The folders of earlier runs. */
function Recent({ onChoose }: { onChoose: (path: string) => void }) {
  const { data } = useApi<RecentFoldersReply>('/api/folders/recent');
  if (!data || data.folders.length === 0) return null;
  return (
    <section aria-label="Recent folders">
      <h3 className="mb-1 text-sm font-medium">Recent</h3>
      <ul className="flex flex-wrap gap-1.5">
        {data.folders.map(({ path }) => (
          <li key={path} className="max-w-full">
            <Button
              size="sm"
              className="max-w-64 max-sm:h-11"
              title={plainVisibleLine(path)}
              onClick={() => onChoose(path)}
            >
              <span className="foreign truncate">
                <ShortName text={folderName(path)} max={40} />
              </span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function contentWords({ folders, files, complete }: FolderReply): string {
  const counts = `${plural(folders.length, 'folder')}, ${plural(files, 'file')}.`;
  return complete ? counts : `${counts} This folder is too large to list completely: type the path instead.`;
}

function pathOf(path: string, hidden: boolean): string {
  const query = new URLSearchParams({ ...(path && { path }), ...(hidden && { hidden: '1' }) });
  return `/api/folders?${query}`;
}
