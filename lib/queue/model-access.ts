import type { ChatModel } from '../model/chat-model.ts';
import type { SlotRequest } from './host-slots.ts';

/** The queue of a model server, which runs and other model calls share. */
export interface UseSlots {
  withSlot<T>(use: SlotRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  queuePosition(id: string): number | undefined;
}

/** Requirements of model calls outside of runs: a slot, and a model that runs may use. */
export interface ModelAccess {
  slots: UseSlots;
  /** @throws {AppError} `remote_model`, `model_no_completion` */
  admit(models: { model: string }): Promise<void>;
  modelFor(model: string): Promise<ChatModel>;
}
