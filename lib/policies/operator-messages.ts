import { queuedMessages } from '../events/queued-messages.ts';
import type { Rule } from './rule.ts';

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
