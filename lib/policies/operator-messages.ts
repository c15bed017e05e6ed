import type { OperatorMessage, RunState } from '../events/run-state.ts';
import type { Rule } from './rule.ts';

/** Operator messages not yet delivered to the model, oldest first. */
export function queuedMessages({ operatorMessages }: Pick<RunState, 'operatorMessages'>): OperatorMessage[] {
  return operatorMessages.filter((message) => message.status === 'queued');
}

/** Delivers queued messages to the model as one user message before the next call. */
export const deliverMessages: Rule = (state) => {
  const queued = queuedMessages(state);
  if (queued.length === 0) return undefined;
  return {
    type: 'append',
    events: [
      {
        type: 'operator.delivered',
        message_ids: queued.map(({ id }) => id),
        as: 'user-message',
      },
    ],
  };
};
