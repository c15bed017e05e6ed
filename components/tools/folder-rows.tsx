'use client';

import type { ServerDraft } from '#lib/browser/drafts/server-draft.ts';
import { RowList } from './row-list.tsx';

type Folders = ServerDraft['folders'];

/** The folders that a server may read, or read and write. */
export function FolderRows({
  folders,
  problem,
  onChange,
}: {
  folders: Folders;
  problem: string | undefined;
  onChange: (folders: Folders) => void;
}) {
  return (
    <RowList
      legend="Folders"
      item="folder"
      rows={folders}
      newRow={{ path: '', access: 'read' }}
      className="grid gap-2"
      rowClassName="flex min-w-0 flex-wrap gap-2 sm:flex-nowrap"
      note={
        <p className={problem ? 'mt-1 text-xs text-fail' : 'mt-1 text-xs text-ink-3'}>
          {problem ??
            'The server sees these folders at the same paths, the programs of this machine, and nothing else.'}
        </p>
      }
      fields={({ path, access }, index, set) => (
        <>
          <input
            aria-label={`Folder ${index + 1}`}
            className="field min-w-0 flex-1 font-mono text-sm"
            autoComplete="off"
            spellCheck={false}
            placeholder="/home/me/project"
            value={path}
            onChange={(event) => set({ path: event.target.value })}
          />
          <select
            aria-label={`Access to folder ${index + 1}`}
            className="field w-auto text-sm"
            value={access}
            onChange={(event) => set({ access: event.target.value === 'write' ? 'write' : 'read' })}
          >
            <option value="read">reads</option>
            <option value="write">reads and writes</option>
          </select>
        </>
      )}
      onChange={onChange}
    />
  );
}
