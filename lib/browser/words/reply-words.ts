import type { OperatorMessage } from '../../events/run-state.ts';

/** Who answered the agent in the operator's place. */
export const REPLY_WORDS = {
  fixed: 'Fixed reply',
  list: 'Reply from the list',
  model: 'Replying model',
} as const satisfies Record<NonNullable<OperatorMessage['by']>, string>;
