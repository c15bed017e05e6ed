'use client';

import { PARAMETER_TYPES, type ParameterRow } from '#lib/browser/drafts/command-tool-draft.ts';
import { RowList } from './row-list.tsx';

/** The name of each type in the form. */
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
  return (
    <RowList
      legend="Parameters"
      item="parameter"
      rows={rows}
      newRow={{ name: '', type: 'string', description: '', required: true }}
      className="grid gap-3"
      rowClassName="grid min-w-0 gap-2 sm:grid-cols-[10rem_8.5rem_minmax(0,1fr)_auto_auto]"
      note={problem && <p className="mt-1 text-xs text-fail">{problem}</p>}
      fields={({ name, type, description, required }, index, set) => (
        <>
          <input
            aria-label={`Name of parameter ${index + 1}`}
            className="field min-w-0 font-mono text-sm"
            autoComplete="off"
            spellCheck={false}
            placeholder="path"
            value={name}
            onChange={(event) => set({ name: event.target.value })}
          />
          <select
            aria-label={`Type of parameter ${index + 1}`}
            className="field text-sm"
            value={type}
            onChange={(event) =>
              set({ type: PARAMETER_TYPES.find((each) => each === event.target.value) ?? 'string' })
            }
          >
            {PARAMETER_TYPES.map((each) => (
              <option key={each} value={each}>
                {TYPE_WORDS[each]}
              </option>
            ))}
          </select>
          <input
            aria-label={`Description of parameter ${index + 1}`}
            className="field min-w-0 text-sm"
            autoComplete="off"
            placeholder="what it is"
            value={description}
            onChange={(event) => set({ description: event.target.value })}
          />
          <label className="flex items-center gap-1.5 text-sm max-sm:min-h-11">
            <input
              type="checkbox"
              aria-label={`Parameter ${index + 1} is required`}
              className="size-4 accent-brass-fill"
              checked={required}
              onChange={(event) => set({ required: event.target.checked })}
            />
            required
          </label>
        </>
      )}
      onChange={onChange}
    />
  );
}
