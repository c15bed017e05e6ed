'use client';

import { Field } from '../ui/form/fields.tsx';
import { HiddenNote } from '../ui/hidden-note.tsx';

/** A text of any length, with a note about characters that cannot be seen. */
export function TextArea({
  label,
  value,
  hint,
  problem,
  onChange,
}: {
  label: string;
  value: string;
  hint?: string;
  problem?: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(props) => (
        <>
          <textarea
            {...props}
            rows={Math.min(12, Math.max(2, value.split('\n', 12).length))}
            spellCheck={false}
            className="field [field-sizing:content] max-h-96 resize-y font-mono text-sm"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <HiddenNote text={value} />
        </>
      )}
    </Field>
  );
}
