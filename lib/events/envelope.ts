import { z } from 'zod';

/**
 * The fields every event has (E9): the run, its place in the run (1, 2, 3 … without gaps, given by the store in the
 * appending transaction, and the id on the event stream) and when it was appended, in milliseconds since 1970.
 */
export const envelope = {
  run_id: z.string(),
  seq: z.int().positive(),
  at: z.int().nonnegative(),
};

/** Counts that Ollama may leave out; absent stays absent, so that a sum can tell 0 from unknown (T8). */
export const optionalCount = z.int().nonnegative().optional();

/** An error as a viewer or a script sees it. */
export const errorShape = z.object({ code: z.string(), message: z.string(), hint: z.string().optional() });
