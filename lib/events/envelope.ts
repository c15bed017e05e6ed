import { z } from 'zod';

/**
 * The fields common to all events (E9): the run, the sequence number within the run (1, 2, 3 … without gaps, assigned
 * when it is appended, and used as event stream ID), and the time of the append in milliseconds since 1970.
 */
export const envelope = {
  run_id: z.string(),
  seq: z.int().positive(),
  at: z.int().nonnegative(),
};

/** A count that Ollama may omit. Stays absent, so that unknown differs from 0 (T8). */
export const optionalCount = z.int().nonnegative().optional();

/**
 * A measured time or size, or a cost. A file can claim any number, and no sum or ratio of amounts up to this limit is infinite,
 * which no page could draw and JSON cannot represent.
 */
export const amount = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);

/** An error as shown to viewers and scripts. */
export const errorShape = z.object({ code: z.string(), message: z.string(), hint: z.string().optional() });
