import type { PriceReply } from '../api/model-price.ts';
import type { InstalledModel } from '../api/replies.ts';
import { AppError } from '../errors/app-error.ts';
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

  /**
   * Sets the price of a model for future runs; `null` removes it.
   *
   * @param base the price that was edited, `null` for none; default: whichever is current
   * @throws {AppError} `price_changed` if another price is current by now
   */
  async set(model: string, price: ModelPrice | null, base?: ModelPrice | null): Promise<PriceReply> {
    const name = fullName(model);
    const saved = await this.#store.savePrice(name, { price, base });
    this.#recent.forget();
    if (saved === 'saved') return { model: name, price };
    throw new AppError({
      code: 'price_changed',
      message: `The price of "${name}" was changed in the meantime.`,
      hint: 'Read its current price and make the change again.',
    });
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
