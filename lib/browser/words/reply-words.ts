import type { OperatorMessage } from '../../events/run-state.ts';

/** How a reader is told of the operator: those who open a shared run are not the operator. */
export type OperatorWord = 'you' | 'the operator';

/** Who answered the agent in the operator's place. */
const REPLY_WORDS = {
  fixed: 'Fixed reply',
  list: 'Reply from the list',
  model: 'Replying model',
} as const satisfies Record<NonNullable<OperatorMessage['by']>, string>;

/** The sender of a message on the operator's side. @param by the policy or model that wrote it in the operator's place */
export function senderWords(by: OperatorMessage['by'], operator: OperatorWord): string {
  if (by !== undefined) return REPLY_WORDS[by];
  return operator === 'you' ? 'You' : 'The operator';
}
