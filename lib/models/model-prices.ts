import type { PriceReply } from '../api/model-price.ts';
import type { InstalledModel } from '../api/replies.ts';
import type { ModelPrice } from '../events/config.ts';
import { RecentAnswers } from '../model/recent-answers.ts';
import type { ModelStore } from '../store/model-store.ts';
import { fullName } from '../util/model-name.ts';

/** How long runs reuse the prices, in milliseconds. A price set by another process takes effect after that. */
const REUSED_MS = 1000;

/** Prices set by the user. Kept in the store, so that all processes sharing it use the same price. */
export class ModelPrices {
  readonly #store: Pick<ModelStore, 'prices' | 'savePrice'>;
  readonly #recent = new RecentAnswers<ReadonlyMap<string, ModelPrice>>();

  constructor(store: Pick<ModelStore, 'prices' | 'savePrice'>) {
    this.#store = store;
  }

  /** The price of a model under any of its names: `qwen3` means `qwen3:latest`. */
  async of(model: string): Promise<ModelPrice | undefined> {
    const prices = await this.#recent.get('', () => this.#store.prices(), { maxAgeMs: REUSED_MS });
    return prices.get(fullName(model));
  }

  async list(): Promise<ReadonlyMap<string, ModelPrice>> {
    return this.#store.prices();
  }

  /** Sets the price of a model for future runs; `null` removes it. */
  async set(model: string, price: ModelPrice | null): Promise<PriceReply> {
    const name = fullName(model);
    await this.#store.savePrice(name, price);
    this.#recent.forget();
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
