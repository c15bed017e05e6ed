import type { OperatorMessage } from '../../events/run-state.ts';
import type { OperatorWord } from './operator-word.ts';

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
