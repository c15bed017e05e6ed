import { z } from 'zod';
import { envelope } from './envelope.ts';

/**
 * A turn of a session is over: one reply and the calls it asked for (S9, S10). A text becomes an assistant message with
 * this event; an empty reply leaves none.
 */
export const turnEnded = z.object({
  ...envelope,
  type: z.literal('turn.ended'),
  iteration: z.int().positive(),
  outcome: z.enum(['text', 'calls', 'empty']),
});

/** The pause between two turns began (S16). A stop cuts it short, and so does a restart. */
export const turnPaused = z.object({
  ...envelope,
  type: z.literal('turn.paused'),
  iteration: z.int().positive(),
  wait_ms: z.int().positive(),
});

/** Words of the harness that stand as a user message, so that the model does not continue its own text (S9, K-23). */
export const harnessPrompted = z.object({
  ...envelope,
  type: z.literal('harness.prompted'),
  /** The turn that ended before. */
  iteration: z.int().nonnegative(),
  text: z.string().min(1),
});
