'use client';

import type { EnteredTexts } from '#lib/browser/drafts/entered-draft.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { MAX_ENTERED_CHARS } from '#lib/events/entered-content.ts';
import type { AskedField } from '#lib/events/mcp-request.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Field } from '../../ui/form/fields.tsx';

/** The fields of a form that a server asks for. Their labels and hints come from the server. */
export function AskedFields({
  fields,
  texts,
  problems,
  onChange,
}: {
  fields: readonly AskedField[];
  texts: EnteredTexts;
  problems: Readonly<Record<string, string>>;
  onChange: (texts: EnteredTexts) => void;
}) {
  if (fields.length === 0) return null;
  return (
    <div className="grid gap-3">
      {fields.map((field) => (
        <AskedInput
          key={field.name}
          field={field}
          value={texts[field.name] ?? ''}
          problem={problems[field.name]}
          onChange={(value) => onChange({ ...texts, [field.name]: value })}
        />
      ))}
    </div>
  );
}

interface InputProps {
  field: AskedField;
  value: string | readonly string[];
  problem: string | undefined;
  onChange: (value: string | readonly string[]) => void;
}

function labelOf({ title, name, required }: AskedField): string {
  return `${shortLine(title ?? name)}${required ? '' : ' (optional)'}`;
}

function AskedInput({ field, value, problem, onChange }: InputProps) {
  if (field.kind === 'choices') {
    return <Choices field={field} value={value} problem={problem} onChange={onChange} />;
  }
  const text = typeof value === 'string' ? value : '';
  return (
    <Field label={labelOf(field)} hint={<Hint field={field} />} problem={problem}>
      {(props) => {
        const options =
          field.kind === 'switch'
            ? [
                { value: 'true', label: 'Yes' },
                { value: 'false', label: 'No' },
              ]
            : field.options;
        if (options) {
          return (
            <select
              {...props}
              className="field max-sm:h-11"
              value={text}
              onChange={(event) => onChange(event.target.value)}
            >
              <option value="">–</option>
              {options.map((option) => (
                <option key={option.value} value={option.value}>
                  {shortLine(option.label)}
                </option>
              ))}
            </select>
          );
        }
        return (
          <input
            {...props}
            className="field max-sm:h-11"
            autoComplete="off"
            inputMode={field.kind === 'text' ? 'text' : 'decimal'}
            placeholder={field.format && PLACEHOLDERS[field.format]}
            maxLength={MAX_ENTERED_CHARS}
            value={text}
            onChange={(event) => onChange(event.target.value)}
          />
        );
      }}
    </Field>
  );
}

const PLACEHOLDERS: Readonly<Record<NonNullable<AskedField['format']>, string>> = {
  email: 'name@example.org',
  uri: 'https://example.org',
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
};

function Hint({ field: { description, looks_secret } }: { field: AskedField }) {
  return (
    <>
      {description !== undefined && <ForeignText text={description} />}
      {looks_secret && (
        <strong className="block font-medium text-warn">
          This seems to ask for a secret. Servers must not do that: decline if you are not sure.
        </strong>
      )}
    </>
  );
}

/** Several options of a list. */
function Choices({ field, value, problem, onChange }: InputProps) {
  const chosen = Array.isArray(value) ? value : [];
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm font-medium">{labelOf(field)}</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {(field.options ?? []).map((option) => (
          <label key={option.value} className="flex items-center gap-2 text-sm max-sm:min-h-11">
            <input
              type="checkbox"
              aria-invalid={problem !== undefined}
              checked={chosen.includes(option.value)}
              onChange={(event) =>
                onChange(
                  event.target.checked
                    ? [...chosen, option.value]
                    : chosen.filter((each: string) => each !== option.value),
                )
              }
            />
            {shortLine(option.label)}
          </label>
        ))}
      </div>
      <p className="mt-1 text-xs text-ink-3">{problem ?? <Hint field={field} />}</p>
    </fieldset>
  );
}
