import type { NewEvent } from '../events/registry.ts';

/** Tells the operator that the run's model cannot see the images that it was given. */
export function imagesUnseen(model: string): NewEvent {
  return {
    type: 'policy.warned',
    code: 'images_unseen',
    message: `${model} cannot see images. It gets a list of their names instead. Choose a model with the capability "vision".`,
  };
}
