import { FACTOR_NAMES } from '#lib/api/factor-names.ts';
import { OPTION_PREFIX } from '#lib/events/settings.ts';
import { Field } from '../ui/form/fields.tsx';

/** Settings with the values to try, one a line; a list helps to find their names. */
export function FactorsField({
  label,
  value,
  set,
  problem,
  placeholder,
  names = FACTOR_NAMES,
  withOptions = true,
}: {
  label: string;
  value: string;
  set: (text: string) => void;
  problem?: string;
  placeholder: string;
  /** The names to choose from. */
  names?: readonly string[];
  /** Whether any option of Ollama is also allowed. */
  withOptions?: boolean;
}) {
  const add = (name: string) => {
    if (name !== '') set(`${value.trimEnd()}${value.trim() === '' ? '' : '\n'}${name}: `);
  };
  return (
    <div className="grid gap-2">
      <Field
        label={label}
        hint={`One per line, with the values to try: top_p: 0.9, 0.5${withOptions ? `. Other Ollama options: ${OPTION_PREFIX}NAME` : ''}`}
        problem={problem}
      >
        {(props) => (
          <textarea
            {...props}
            rows={3}
            className="field resize-y font-mono text-sm"
            value={value}
            onChange={(event) => set(event.target.value)}
            placeholder={placeholder}
          />
        )}
      </Field>
      <select
        aria-label="Add a factor"
        className="field w-auto max-w-full justify-self-start text-sm max-sm:h-11"
        value=""
        onChange={(event) => add(event.target.value)}
      >
        <option value="">Add a factor…</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
