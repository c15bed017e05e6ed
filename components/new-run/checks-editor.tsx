'use client';

import { Plus, X } from 'lucide-react';
import type { DraftCheck } from '#lib/browser/drafts/run-draft.ts';
import { Button } from '../ui/button.tsx';

const fresh: Record<DraftCheck['type'], DraftCheck> = {
  command: { type: 'command', command: '' },
  file_exists: { type: 'file_exists', path: '' },
  file_contains: { type: 'file_contains', path: '', text: '' },
};

const words: Record<DraftCheck['type'], string> = {
  command: 'Command succeeds',
  file_exists: 'File exists',
  file_contains: 'File contains',
};

/** The checks of the finished work; failed ones start another attempt (V5-V11). */
export function ChecksEditor({
  checks,
  withCommands,
  onChange,
}: {
  checks: readonly DraftCheck[];
  /** Command checks need a sandbox, because they run without approval. */
  withCommands: boolean;
  onChange: (checks: DraftCheck[]) => void;
}) {
  const put = (index: number, check: DraftCheck) =>
    onChange(checks.map((before, position) => (position === index ? check : before)));
  return (
    <div className="grid gap-2">
      {checks.map((check, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a check has no name of its own while it is written
        <div key={index} className="flex flex-wrap items-center gap-2">
          <select
            aria-label={`Kind of check ${index + 1}`}
            className="field w-auto"
            value={check.type}
            onChange={(event) => {
              const type = Object.keys(words).find((each) => each === event.target.value);
              if (type === 'command' || type === 'file_exists' || type === 'file_contains')
                put(index, fresh[type]);
            }}
          >
            {Object.entries(words)
              .filter(([type]) => withCommands || type !== 'command' || check.type === 'command')
              .map(([type, label]) => (
                <option key={type} value={type}>
                  {label}
                </option>
              ))}
          </select>
          {check.type === 'command' ? (
            <input
              aria-label={`Command of check ${index + 1}`}
              className="field min-w-0 flex-1 basis-40 font-mono text-sm"
              placeholder="npm test"
              value={check.command}
              onChange={(event) => put(index, { ...check, command: event.target.value })}
            />
          ) : (
            <input
              aria-label={`Path of check ${index + 1}`}
              className="field min-w-0 flex-1 basis-32 font-mono text-sm"
              placeholder="summary.md"
              value={check.path}
              onChange={(event) => put(index, { ...check, path: event.target.value })}
            />
          )}
          {check.type === 'file_contains' && (
            <input
              aria-label={`Text of check ${index + 1}`}
              className="field min-w-0 flex-1 basis-32 font-mono text-sm"
              placeholder="the text"
              value={check.text}
              onChange={(event) => put(index, { ...check, text: event.target.value })}
            />
          )}
          <button
            type="button"
            aria-label={`Remove check ${index + 1}`}
            onClick={() => onChange(checks.filter((_, position) => position !== index))}
            className="grid size-8 place-items-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink"
          >
            <X className="size-4" aria-hidden="true" />
          </button>
        </div>
      ))}
      <Button
        size="sm"
        className="w-fit"
        disabled={checks.length >= 20}
        onClick={() => onChange([...checks, withCommands ? fresh.command : fresh.file_exists])}
      >
        <Plus className="size-3.5" aria-hidden="true" />
        Add a check
      </Button>
    </div>
  );
}
