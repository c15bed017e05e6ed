'use client';

import { Plus, X } from 'lucide-react';
import type { CaseDraft } from '#lib/browser/drafts/case-draft.ts';
import { MAX_CASE_FILES } from '#lib/events/limits.ts';
import { Button } from '../ui/button.tsx';

type Files = CaseDraft['files'];

/** The files that a case starts with. */
export function FilesEditor({ files, onChange }: { files: Files; onChange: (files: Files) => void }) {
  const put = (index: number, changes: Partial<Files[number]>) =>
    onChange(files.map((file, position) => (position === index ? { ...file, ...changes } : file)));
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-1 text-sm font-medium">Files</legend>
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a file whose path is being edited has no stable key
        <div key={index} className="grid gap-1.5">
          <div className="flex items-center gap-2">
            <input
              aria-label={`Path of file ${index + 1}`}
              className="field min-w-0 flex-1 font-mono text-sm"
              placeholder="notes/a.md"
              required
              autoComplete="off"
              spellCheck={false}
              value={file.path}
              onChange={(event) => put(index, { path: event.target.value })}
            />
            <button
              type="button"
              aria-label={`Remove file ${index + 1}`}
              onClick={() => onChange(files.filter((_, position) => position !== index))}
              className="grid size-8 shrink-0 place-items-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink max-sm:size-11"
            >
              <X className="size-4" aria-hidden="true" />
            </button>
          </div>
          <textarea
            aria-label={`Text of file ${index + 1}`}
            className="field font-mono text-sm"
            rows={3}
            spellCheck={false}
            value={file.text}
            onChange={(event) => put(index, { text: event.target.value })}
          />
        </div>
      ))}
      <Button
        size="sm"
        className="w-fit max-sm:h-11"
        disabled={files.length >= MAX_CASE_FILES}
        onClick={() => onChange([...files, { path: '', text: '' }])}
      >
        <Plus className="size-3.5" aria-hidden="true" />
        Add a file
      </Button>
    </fieldset>
  );
}
