import { z } from 'zod';
import { amount, envelope, errorShape } from './envelope.ts';

/**
 * Nothing answers at the model server's address, so the run waits for it. The wait counts neither as run time nor
 * towards a budget.
 */
export const serverWaitStarted = z.object({
  ...envelope,
  type: z.literal('server-wait.started'),
  error: errorShape,
  /** The run fails if the server is not back within this time. */
  limit_ms: z.int().positive(),
});

/** The wait is over. After `back`, the model is loaded and the request that failed is sent again. */
export const serverWaitEnded = z.object({
  ...envelope,
  type: z.literal('server-wait.ended'),
  outcome: z.enum(['back', 'gave_up', 'stopped']),
  waited_ms: amount,
});
