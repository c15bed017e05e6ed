'use client';

import { type ReactNode, useId } from 'react';
import type { ThinkWord } from '#lib/browser/drafts/think-word.ts';
import { cx } from '../cx.ts';

/** How much a model may think before it answers. */
export const THINKING: readonly { value: ThinkWord; label: string }[] = [
  { value: 'off', label: 'Off' },
  { value: 'on', label: 'On' },
  { value: 'low', label: 'Low' },
  { value: 'medium', label: 'Medium' },
  { value: 'high', label: 'High' },
  { value: 'max', label: 'Maximum' },
];

/** A section of a form: heading on the left, fields on the right. */
export function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  const id = useId();
  return (
    <fieldset
      aria-labelledby={id}
      className="grid gap-x-10 gap-y-3 border-t py-6 md:grid-cols-[11rem_minmax(0,1fr)]"
    >
      <div>
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {hint && <p className="mt-0.5 text-sm text-ink-3">{hint}</p>}
      </div>
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">{children}</div>
    </fieldset>
  );
}

/** A label, its control, hint and error, linked for assistive technology. */
export function Field({
  label,
  hint,
  problem,
  children,
  className,
}: {
  label: string;
  hint?: ReactNode;
  problem?: string;
  children: (props: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean;
  }) => ReactNode;
  className?: string;
}) {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className={cx('min-w-0', className)}>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': note ? `${id}-note` : undefined,
        'aria-invalid': problem !== undefined,
      })}
      {note && (
        <p id={`${id}-note`} className={cx('mt-1 text-xs', problem ? 'text-fail' : 'text-ink-3')}>
          {note}
        </p>
      )}
    </div>
  );
}

/** An optional number; the placeholder shows the default. */
export function NumberField({
  label,
  value,
  onChange,
  placeholder,
  unit,
  hint,
  problem,
  disabled,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
  unit?: string;
  hint?: ReactNode;
  problem?: string;
  disabled?: boolean;
}) {
  return (
    <Field label={unit ? `${label} (${unit})` : label} hint={hint} problem={problem}>
      {(props) => (
        <input
          {...props}
          inputMode="decimal"
          autoComplete="off"
          className="field tnum font-mono text-sm"
          value={value}
          placeholder={placeholder}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** A few exclusive choices side by side. */
export function Choice<Value extends string>({
  legend,
  name,
  value,
  options,
  onChange,
}: {
  legend: string;
  name: string;
  value: Value;
  options: readonly { value: Value; label: string; note?: string }[];
  onChange: (value: Value) => void;
}) {
  return (
    <div role="radiogroup" aria-label={legend}>
      <span className="mb-1 block text-sm font-medium">{legend}</span>
      <div className="flex flex-wrap gap-2">
        {options.map((option) => (
          <label
            key={option.value}
            className={cx(
              'flex items-baseline gap-2 rounded-md border px-3 py-1.5 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-brass',
              value === option.value
                ? 'border-brass bg-brass-wash'
                : 'border-line-strong bg-raised hover:border-ink-3',
            )}
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={value === option.value}
              onChange={() => onChange(option.value)}
            />
            <span className="font-medium">{option.label}</span>
            {option.note && <span className="tnum font-mono text-xs text-ink-2">{option.note}</span>}
          </label>
        ))}
      </div>
    </div>
  );
}

/** A checkbox with a hint. */
export function Switch({
  label,
  hint,
  checked,
  onChange,
}: {
  label: string;
  hint?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="flex items-start gap-3 max-sm:py-2.5">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        aria-describedby={hint ? `${id}-note` : undefined}
        className="relative mt-0.5 h-[1.125rem] w-8 shrink-0 cursor-pointer appearance-none rounded-full border border-ink-3 bg-transparent transition-colors before:absolute before:top-[2px] before:left-[2px] before:size-3 before:rounded-full before:bg-ink-3 before:transition-transform checked:border-brass-fill checked:bg-brass-fill checked:before:translate-x-[0.875rem] checked:before:bg-on-brass"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="reach font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-note`} className="text-sm text-ink-3">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
