import { z } from 'zod';

/**
 * A schema that leaves values as they are, with their fields in the given order. zod puts known fields first, so a
 * request would differ after the log is read again.
 *
 * @param schema must keep all fields
 */
export function inGivenOrder<Schema extends z.ZodType>(schema: Schema) {
  return z.custom<z.output<Schema>>().superRefine((value, context) => {
    const { issues = [] } = schema.safeParse(value, { reportInput: true }).error ?? {};
    for (const issue of issues) {
      // Without its message, so that the caller's own wording applies (`IN_WORDS`).
      const { message: _, ...described } = issue;
      context.addIssue(issue.code === 'custom' ? { ...issue } : described);
    }
  });
}
