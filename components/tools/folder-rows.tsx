'use client';

import { Plus, X } from 'lucide-react';
import type { ServerDraft } from '#lib/browser/drafts/server-draft.ts';
import { Button } from '../ui/button.tsx';

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
  const set = (index: number, change: Partial<Folders[number]>) =>
    onChange(folders.map((folder, at) => (at === index ? { ...folder, ...change } : folder)));
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm font-medium">Folders</legend>
      <div className="grid gap-2">
        {folders.map((folder, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
          <div key={index} className="flex min-w-0 flex-wrap gap-2 sm:flex-nowrap">
            <input
              aria-label={`Folder ${index + 1}`}
              className="field min-w-0 flex-1 font-mono text-sm"
              autoComplete="off"
              spellCheck={false}
              placeholder="/home/me/project"
              value={folder.path}
              onChange={(event) => set(index, { path: event.target.value })}
            />
            <select
              aria-label={`Access to folder ${index + 1}`}
              className="field w-auto text-sm"
              value={folder.access}
              onChange={(event) => set(index, { access: event.target.value === 'write' ? 'write' : 'read' })}
            >
              <option value="read">reads</option>
              <option value="write">reads and writes</option>
            </select>
            <Button
              kind="quiet"
              aria-label={`Remove folder ${index + 1}`}
              onClick={() => onChange(folders.filter((_, at) => at !== index))}
            >
              <X className="size-4" aria-hidden="true" />
            </Button>
          </div>
        ))}
        <Button
          size="sm"
          className="w-fit max-sm:h-11"
          onClick={() => onChange([...folders, { path: '', access: 'read' }])}
        >
          <Plus className="size-3.5" aria-hidden="true" />
          Add a folder
        </Button>
      </div>
      <p className={problem ? 'mt-1 text-xs text-fail' : 'mt-1 text-xs text-ink-3'}>
        {problem ??
          'The server sees these folders at the same paths, the programs of this machine, and nothing else.'}
      </p>
    </fieldset>
  );
}
