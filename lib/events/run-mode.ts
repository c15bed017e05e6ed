import { z } from 'zod';

/** The three kinds of run. */
export const runMode = z.enum(['task', 'session', 'explore']);
export type RunMode = z.infer<typeof runMode>;
