import type { ImageRef } from './image.ts';
import type { RunEvent } from './registry.ts';

/** The images that an event refers to. */
export function imagesOfEvent(event: RunEvent): readonly ImageRef[] {
  switch (event.type) {
    case 'run.created':
      return event.config.images ?? [];
    case 'attempt.started':
      return event.messages.flatMap(({ images = [] }) => images);
    case 'operator.messaged':
    case 'tool-call.ended':
      return event.images ?? [];
    default:
      return [];
  }
}
