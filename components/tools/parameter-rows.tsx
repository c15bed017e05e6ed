'use client';

import { Plus, X } from 'lucide-react';
import { PARAMETER_TYPES, type ParameterRow } from '#lib/browser/drafts/command-tool-draft.ts';
import { Button } from '../ui/button.tsx';

/** What each type is called in the form. */
const TYPE_WORDS: Readonly<Record<ParameterRow['type'], string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'yes or no',
  array: 'list of texts',
};

/** The parameters of a custom tool, one row each. */
export function ParameterRows({
  rows,
  problem,
  onChange,
}: {
  rows: readonly ParameterRow[];
  problem: string | undefined;
  onChange: (rows: readonly ParameterRow[]) => void;
}) {
  const set = (index: number, change: Partial<ParameterRow>) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...change } : row)));
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm font-medium">Parameters</legend>
      <div className="grid gap-3">
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
          <div key={index} className="grid min-w-0 gap-2 sm:grid-cols-[10rem_8.5rem_minmax(0,1fr)_auto_auto]">
            <input
              aria-label={`Name of parameter ${index + 1}`}
              className="field min-w-0 font-mono text-sm"
              autoComplete="off"
              spellCheck={false}
              placeholder="path"
              value={row.name}
              onChange={(event) => set(index, { name: event.target.value })}
            />
            <select
              aria-label={`Type of parameter ${index + 1}`}
              className="field text-sm"
              value={row.type}
              onChange={(event) =>
                set(index, { type: PARAMETER_TYPES.find((type) => type === event.target.value) ?? 'string' })
              }
            >
              {PARAMETER_TYPES.map((type) => (
                <option key={type} value={type}>
                  {TYPE_WORDS[type]}
                </option>
              ))}
            </select>
            <input
              aria-label={`Description of parameter ${index + 1}`}
              className="field min-w-0 text-sm"
              autoComplete="off"
              placeholder="what it is"
              value={row.description}
              onChange={(event) => set(index, { description: event.target.value })}
            />
            <label className="flex items-center gap-1.5 text-sm max-sm:min-h-11">
              <input
                type="checkbox"
                aria-label={`Parameter ${index + 1} is required`}
                className="size-4 accent-brass-fill"
                checked={row.required}
                onChange={(event) => set(index, { required: event.target.checked })}
              />
              required
            </label>
            <Button
              kind="quiet"
              aria-label={`Remove parameter ${index + 1}`}
              onClick={() => onChange(rows.filter((_, at) => at !== index))}
            >
              <X className="size-4" aria-hidden="true" />
            </Button>
          </div>
        ))}
        <Button
          size="sm"
          className="w-fit max-sm:h-11"
          onClick={() => onChange([...rows, { name: '', type: 'string', description: '', required: true }])}
        >
          <Plus className="size-3.5" aria-hidden="true" />
          Add a parameter
        </Button>
      </div>
      {problem && <p className="mt-1 text-xs text-fail">{problem}</p>}
    </fieldset>
  );
}
