import type { CheckSummary, ModelCheck } from '../api/model-check.ts';
import type { ModelReading } from '../api/model-reading.ts';
import type { ModelPrice } from '../events/config.ts';

/** Reads what is known about models. */
export interface ModelReader {
  /** How the replies of each model were read, over all runs there ever were, by the model's name in them (P17). */
  readings(): Promise<Map<string, ModelReading>>;
  /** The figures of all stored checks of models, the newest first. */
  modelChecks(): Promise<CheckSummary[]>;
  /** The whole check of a model: of this digest, or without one the newest. */
  modelCheck(model: string, digest?: string): Promise<ModelCheck | undefined>;
  /** The prices of models that a person set, by the model's whole name. */
  prices(): Promise<Map<string, ModelPrice>>;
}

/** Keeps what is known about models: their checks, prices and how their replies were read. */
export interface ModelStore extends ModelReader {
  /** Stores the check of a model in place of an earlier one of the same digest. */
  saveModelCheck(check: ModelCheck): Promise<void>;
  /** Stores the price of a model in place of an earlier one; `null` deletes it. */
  savePrice(model: string, price: ModelPrice | null): Promise<void>;
}
