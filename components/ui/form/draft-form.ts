import { type FieldErrors, type FieldValues, type Path, type Resolver, useController } from 'react-hook-form';

/** What a draft asks the server for, or what is wrong with it, by field. */
type ReadDraft<Draft, Request> =
  | { ok: true; request: Request }
  | { ok: false; problems: Partial<Record<keyof Draft, string>> };

/**
 * Validates a form with the pure function that also makes its request, so that a field is judged in one place. A valid
 * form is submitted as that request.
 */
export function draftResolver<Draft extends FieldValues, Request extends FieldValues>(
  read: (draft: Draft) => ReadDraft<Draft, Request>,
): Resolver<Draft, unknown, Request> {
  return (draft) => {
    const result = read(draft);
    if (result.ok) return { values: result.request, errors: {} };
    const errors = Object.entries(result.problems).flatMap(([field, message]) =>
      message === undefined ? [] : [[field, { type: 'value', message }]],
    );
    return { values: {}, errors: Object.fromEntries(errors) as FieldErrors<Draft> };
  };
}

/** Moves the focus to the first field with an error, and opens the part of the form that holds it. */
export function focusFirstError(form: HTMLElement | null): void {
  requestAnimationFrame(() => {
    const first = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
    first?.closest('details')?.setAttribute('open', '');
    (first?.matches('input, textarea') ? first : first?.querySelector('input'))?.focus();
  });
}

/** A field of the form around it: its value, how to set it, and what is wrong with it. */
export function useFormField<Draft extends FieldValues, Name extends keyof Draft & Path<Draft>>(name: Name) {
  const { field, fieldState } = useController<Draft, Name>({ name });
  return {
    value: field.value as Draft[Name],
    set: (value: Draft[Name]) => field.onChange(value),
    problem: fieldState.error?.message,
  };
}
