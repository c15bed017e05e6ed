'use client';

import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import {
  CHECK_FIELDS,
  CHECK_GROUPS,
  type CheckChoice,
  type CheckField,
  choiceFacts,
  type DraftCheck,
  isCheckChoice,
  newCheck,
  offeredChoices,
} from '#lib/browser/drafts/check-draft.ts';
import { MAX_CHECKS } from '#lib/events/settings.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';

/** The checks of the work and the answer; failed ones start another attempt (V5-V11). */
export function ChecksEditor({
  checks,
  tools,
  withCommands,
  onChange,
}: {
  checks: readonly DraftCheck[];
  /** The tools of the run; a single answer has none. */
  tools: readonly string[];
  /** Command checks need a sandbox, because they run without approval. */
  withCommands: boolean;
  onChange: (checks: DraftCheck[]) => void;
}) {
  const offered = offeredChoices({ tools, withCommands });
  const put = (index: number, check: DraftCheck) =>
    onChange(checks.map((before, position) => (position === index ? check : before)));
  return (
    <div className="grid gap-2">
      {checks.map((check, index) => (
        <CheckEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: a check that is being edited has no stable key
          key={index}
          number={index + 1}
          check={check}
          offered={offered}
          tools={tools}
          onChange={(changed) => put(index, changed)}
          onRemove={() => onChange(checks.filter((_, position) => position !== index))}
        />
      ))}
      <Button
        size="sm"
        className="w-fit"
        disabled={checks.length >= MAX_CHECKS}
        onClick={() => onChange([...checks, newCheck(offered[0] ?? 'answer_contains')])}
      >
        <Plus className="size-3.5" aria-hidden="true" />
        Add a check
      </Button>
    </div>
  );
}

function CheckEditor({
  number,
  check,
  offered,
  tools,
  onChange,
  onRemove,
}: {
  number: number;
  check: DraftCheck;
  offered: readonly CheckChoice[];
  tools: readonly string[];
  onChange: (check: DraftCheck) => void;
  onRemove: () => void;
}) {
  const { fields, hasCase } = choiceFacts(check.choice);
  return (
    <fieldset
      aria-label={`Check ${number}`}
      className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2 rounded-lg border p-2"
    >
      <div className="flex items-center justify-between gap-2">
        <KindSelect
          number={number}
          choice={check.choice}
          offered={offered}
          onChange={(choice) => onChange({ ...check, choice })}
        />
        <button
          type="button"
          aria-label={`Remove check ${number}`}
          onClick={onRemove}
          className="reach grid size-8 shrink-0 place-items-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink"
        >
          <X className="size-4" aria-hidden="true" />
        </button>
      </div>
      <div className="flex flex-wrap items-end gap-2">
        {fields.map((field) => (
          <CheckInput
            key={field}
            field={field}
            number={number}
            value={check.texts[field] ?? ''}
            tools={tools}
            onChange={(text) => onChange({ ...check, texts: { ...check.texts, [field]: text } })}
          />
        ))}
        {hasCase && (
          <label className="reach flex items-center gap-2 py-2 text-sm">
            <input
              type="checkbox"
              className="size-4 accent-brass"
              checked={check.caseSensitive}
              onChange={(event) => onChange({ ...check, caseSensitive: event.target.checked })}
            />
            Match case
          </label>
        )}
      </div>
    </fieldset>
  );
}

function KindSelect({
  number,
  choice,
  offered,
  onChange,
}: {
  number: number;
  choice: CheckChoice;
  offered: readonly CheckChoice[];
  onChange: (choice: CheckChoice) => void;
}) {
  const shown = offered.includes(choice) ? offered : [...offered, choice];
  return (
    <select
      aria-label={`Kind of check ${number}`}
      className="field w-auto min-w-0"
      value={choice}
      onChange={(event) => {
        if (isCheckChoice(event.target.value)) onChange(event.target.value);
      }}
    >
      {CHECK_GROUPS.map((group) => {
        const choices = shown.filter((each) => choiceFacts(each).group === group);
        if (choices.length === 0) return null;
        return (
          <optgroup key={group} label={group}>
            {choices.map((each) => (
              <option key={each} value={each}>
                {choiceFacts(each).label}
              </option>
            ))}
          </optgroup>
        );
      })}
    </select>
  );
}

const widths = {
  number: 'w-28',
  tool: 'min-w-[min(11rem,100%)]',
  text: 'flex-1 basis-48',
  json: 'w-full',
  prose: 'w-full',
} as const;

function CheckInput({
  field,
  number,
  value,
  tools,
  onChange,
}: {
  field: CheckField;
  number: number;
  value: string;
  tools: readonly string[];
  onChange: (text: string) => void;
}) {
  const { label, placeholder, input, optional } = CHECK_FIELDS[field];
  const id = useId();
  const shared = {
    id,
    'aria-label': `${label} of check ${number}`,
    value,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  return (
    <div className={cx('min-w-0', widths[input])}>
      <label htmlFor={id} className="mb-1 block text-xs text-ink-3">
        {label}
        {optional && input === 'json' && ' (optional)'}
      </label>
      {input === 'tool' ? (
        <select {...shared} className="field font-mono text-sm">
          <option value="">Choose</option>
          {[...tools, ...(value === '' || tools.includes(value) ? [] : [value])].map((tool) => (
            <option key={tool} value={tool}>
              {tool}
            </option>
          ))}
        </select>
      ) : input === 'json' || input === 'prose' ? (
        <textarea
          {...shared}
          spellCheck={input === 'prose'}
          className={cx('field min-h-16 resize-y text-sm', input === 'json' && 'font-mono')}
          placeholder={placeholder}
        />
      ) : (
        <input
          {...shared}
          autoComplete="off"
          inputMode={input === 'number' ? 'decimal' : undefined}
          className="field min-w-0 font-mono text-sm"
          placeholder={placeholder}
        />
      )}
    </div>
  );
}
