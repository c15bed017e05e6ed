import type { PriceReply } from '../api/model-price.ts';
import type { InstalledModel } from '../api/replies.ts';
import type { ModelPrice } from '../events/config.ts';
import { fullName } from '../model/ollama-models.ts';
import type { ModelStore } from '../store/model-store.ts';

/** Prices set by the user. Kept in the store, so that all processes sharing it use the same price. */
export class ModelPrices {
  readonly #store: Pick<ModelStore, 'prices' | 'savePrice'>;

  constructor(store: Pick<ModelStore, 'prices' | 'savePrice'>) {
    this.#store = store;
  }

  /** The price of a model under any of its names: `qwen3` means `qwen3:latest`. */
  async of(model: string): Promise<ModelPrice | undefined> {
    return (await this.#store.prices()).get(fullName(model));
  }

  async list(): Promise<ReadonlyMap<string, ModelPrice>> {
    return this.#store.prices();
  }

  /** Sets the price of a model for future runs; `null` removes it. */
  async set(model: string, price: ModelPrice | null): Promise<PriceReply> {
    const name = fullName(model);
    await this.#store.savePrice(name, price);
    return { model: name, price };
  }
}

/** Adds its price to each model. */
export function withPrices(
  models: readonly InstalledModel[],
  prices: ReadonlyMap<string, ModelPrice>,
): InstalledModel[] {
  return models.map((model) => {
    const price = prices.get(fullName(model.name));
    return price ? { ...model, price } : model;
  });
}
