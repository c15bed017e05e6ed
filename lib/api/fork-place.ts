import { z } from 'zod';

/**
 * The fork point: after the event `seq`; before an iteration (of `attempt`, by default the last that has it); before a
 * cycle of an exploration; before a tool call; or at the end, the last point with nothing in progress.
 */
export const forkPlace = z.union(
  [
    z.strictObject({ seq: z.int().positive() }),
    z.strictObject({ before_iteration: z.int().positive(), attempt: z.int().positive().optional() }),
    z.strictObject({ before_cycle: z.int().positive() }),
    z.strictObject({ before_call: z.string().min(1).max(200) }),
    z.strictObject({ end: z.literal(true) }),
  ],
  'must be {"seq": N}, {"before_iteration": N}, {"before_iteration": N, "attempt": N}, {"before_cycle": N}, {"before_call": "ID"} or {"end": true}, where N is a positive whole number.',
);
export type ForkPlace = z.infer<typeof forkPlace>;
