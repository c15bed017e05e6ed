import { z } from 'zod';

/**
 * A schema that leaves values as they are, with their fields in the given order. zod puts known fields first, and what a
 * model was sent would read differently once the log is read again.
 *
 * @param schema must keep all fields
 */
export function inGivenOrder<Schema extends z.ZodType>(schema: Schema) {
  return z.custom<z.output<Schema>>((value) => schema.safeParse(value).success, {
    error: ({ input }) => {
      const [issue] = schema.safeParse(input).error?.issues ?? [];
      return issue && `${issue.path.join('.')}: ${issue.message}`;
    },
  });
}
