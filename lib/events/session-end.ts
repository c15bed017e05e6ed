import type { TerminationReason } from './run.ts';

/** The three reasons for which a session can end, in the words of its log (S20). */
export type SessionEndReason = 'user_shutdown' | 'context_full' | 'error';

/** The reason of a run's end as its session log names it. */
export function sessionEndReason(reason: TerminationReason): SessionEndReason {
  if (reason === 'stopped') return 'user_shutdown';
  return reason === 'context_full' ? 'context_full' : 'error';
}
