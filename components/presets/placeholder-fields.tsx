'use client';

import { placeholderNames } from '#lib/util/placeholders.ts';
import { Field } from '../ui/form/fields.tsx';

/** A field for each placeholder of a task. */
export function PlaceholderFields({
  task,
  values,
  problem,
  onChange,
}: {
  task: string;
  values: Readonly<Record<string, string>>;
  problem: string | undefined;
  onChange: (values: Record<string, string>) => void;
}) {
  const names = placeholderNames(task);
  if (names.length === 0) return null;
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {names.map((name) => {
        const value = values[name] ?? '';
        return (
          <Field
            key={name}
            label={name}
            problem={problem !== undefined && value.trim() === '' ? `Fill in ${name}.` : undefined}
          >
            {(props) => (
              <input
                {...props}
                className="field"
                autoComplete="off"
                value={value}
                onChange={(event) => onChange({ ...values, [name]: event.target.value })}
              />
            )}
          </Field>
        );
      })}
    </div>
  );
}
