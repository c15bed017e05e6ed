import { seesImages } from '../events/message-images.ts';
import { queuedMessages } from '../events/queued-messages.ts';
import type { ReadyState, Rule } from './rule.ts';
import { imagesUnseen } from './unseen-images.ts';

/** Delivers queued messages to the model as one user message before the next call. */
export const deliverMessages: Rule = (state) => {
  const queued = queuedMessages(state);
  if (queued.length === 0) return undefined;
  const bringsImages = queued.some(({ images }) => images !== undefined);
  return {
    type: 'append',
    events: [
      ...(bringsImages && isFirstUnseen(state) ? [imagesUnseen(state.config.model)] : []),
      {
        type: 'operator.delivered',
        message_ids: queued.map(({ id }) => id),
        as: 'user-message',
      },
    ],
  };
};

/** Whether the operator has not been told yet that the model cannot see images. */
function isFirstUnseen(state: ReadyState): boolean {
  return !seesImages(state) && !state.messages.some(({ role, images }) => role === 'user' && images);
}
