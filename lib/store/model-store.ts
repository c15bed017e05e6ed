import type { CheckSummary, ModelCheck } from '../api/model-check.ts';
import type { ModelReading } from '../api/model-reading.ts';
import type { ModelPrice } from '../events/config.ts';

/** Reads data about models. */
export interface ModelReader {
  /**
   * How the replies of each model were read, over all runs including deleted ones, by the model's name in them (P17).
   */
  readings(): Promise<Map<string, ModelReading>>;
  /** The figures of all stored checks of models, the newest first. */
  modelChecks(): Promise<CheckSummary[]>;
  /** The figures of finished checks, including replaced ones, oldest first: the newest `limit`. */
  checkHistory(limit: number): Promise<CheckSummary[]>;
  /** The check of a model: for this digest, or the newest. */
  modelCheck(model: string, digest?: string): Promise<ModelCheck | undefined>;
  /** The prices of models, by full model name. */
  prices(): Promise<Map<string, ModelPrice>>;
}

/** The price that a model gets. */
export interface PriceChange {
  /** `null`: none. */
  price: ModelPrice | null;
  /** The price that was changed; `null` if there was none. Default: whichever is current. */
  base?: ModelPrice | null;
}

/** Stores data about models: checks, prices, and how replies were parsed. */
export interface ModelStore extends ModelReader {
  /** Stores a model check, replacing an earlier one of the same digest. The figures of both stay in the history. */
  saveModelCheck(check: ModelCheck): Promise<void>;
  /** Stores a model's price, or nothing. `changed`: the current price is neither `base` nor the new one. */
  savePrice(model: string, change: PriceChange): Promise<'saved' | 'changed'>;
}
