import { afterEach, expect, it, vi } from 'vitest';
import type { ModelPrice } from '../events/config.ts';
import type { PriceChange } from '../store/model-store.ts';
import { ModelPrices } from './model-prices.ts';

afterEach(() => void vi.useRealTimers());

const cheap: ModelPrice = { kind: 'api', input_usd_per_million: 1, output_usd_per_million: 2 };

/** A store that other processes share. */
function sharedStore() {
  const kept = new Map<string, ModelPrice>();
  return {
    kept,
    reads: 0,
    async prices() {
      this.reads += 1;
      return new Map(kept);
    },
    async savePrice(model: string, { price }: PriceChange) {
      if (price) kept.set(model, price);
      else kept.delete(model);
      return 'saved' as const;
    },
  };
}

it('asks the store once for runs that start together, and at once after a change', async () => {
  const store = sharedStore();
  const prices = new ModelPrices(store);
  expect(await Promise.all([prices.of('qwen3'), prices.of('llama'), prices.of('qwen3:latest')])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(store.reads).toBe(1);
  await prices.set('qwen3', cheap);
  expect(await prices.of('qwen3:latest')).toEqual(cheap);
  expect(store.reads).toBe(2);
});

it('notices a price that another process has set within a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const store = sharedStore();
  const prices = new ModelPrices(store);
  expect(await prices.of('qwen3')).toBeUndefined();
  store.kept.set('qwen3:latest', cheap);
  vi.advanceTimersByTime(1000);
  expect(await prices.of('qwen3')).toEqual(cheap);
});
