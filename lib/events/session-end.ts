import { z } from 'zod';
import type { TerminationReason } from './termination.ts';

/** Why a session ended, as written to its log (S20). */
export const sessionEndReason = z.enum([
  'user_shutdown',
  'context_full',
  'budget_exceeded',
  'timeout',
  // An unattended session had all its turns.
  'final_answer',
  'error',
]);
export type SessionEndReason = z.infer<typeof sessionEndReason>;

/** Maps a termination reason to the session log's reason. */
export function sessionEndReasonOf(reason: TerminationReason): SessionEndReason {
  switch (reason) {
    case 'stopped':
      return 'user_shutdown';
    case 'context_full':
    case 'budget_exceeded':
    case 'timeout':
    case 'final_answer':
      return reason;
    default:
      return 'error';
  }
}
