import { z } from 'zod';
import { envelope } from './envelope.ts';

/** Whether the answer fits the run's schema (`answer_schema`). */
export const answerChecked = z.object({
  ...envelope,
  type: z.literal('answer.checked'),
  iteration: z.int().positive(),
  /** The model call that gave the answer. */
  call: z.int().positive(),
  fits: z.boolean(),
  /** Why it does not fit: what is wrong, and where. */
  problem: z.string().optional(),
});
