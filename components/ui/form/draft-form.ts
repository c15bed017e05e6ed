import { type FieldErrors, type FieldValues, type Path, type Resolver, useController } from 'react-hook-form';

/** The request of a draft, or its problems by field. */
type ReadDraft<Draft, Request> =
  | { ok: true; request: Request }
  | { ok: false; problems: Partial<Record<keyof Draft, string>> };

/**
 * Validates a form with the pure function that builds its request, so that validation and request cannot disagree. The
 * submit handler receives the request.
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

/** Focuses the first field with an error, expanding the section that contains it. */
export function focusFirstError(form: HTMLElement | null): void {
  requestAnimationFrame(() => {
    const first = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
    first?.closest('details')?.setAttribute('open', '');
    (first?.matches('input, textarea') ? first : first?.querySelector('input'))?.focus();
  });
}

/** The value, setter and error of a field in the surrounding form. */
export function useFormField<Draft extends FieldValues, Name extends keyof Draft & Path<Draft>>(name: Name) {
  const { field, fieldState } = useController<Draft, Name>({ name });
  return {
    value: field.value as Draft[Name],
    set: (value: Draft[Name]) => field.onChange(value),
    problem: fieldState.error?.message,
  };
}
