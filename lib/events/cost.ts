import type { ModelPrice } from './config.ts';

/** Usage of model calls. */
export interface Usage {
  tokensIn: number;
  tokensOut: number;
  /** Time between request and reply in milliseconds. */
  modelMs: number;
}

const MS_PER_HOUR = 3_600_000;

/**
 * The cost of calls in US dollars (V3, V4). Electricity is charged while waiting for a reply, not while idle.
 *
 * @param usage a value that is not finite, or below 0, counts as 0 (T8)
 * @returns `undefined` without a price: unknown is not 0
 */
export function calculateCost(usage: Usage, price: ModelPrice | undefined): number | undefined {
  if (!price) return undefined;
  if (price.kind === 'electricity') {
    return ((price.watts / 1000) * price.usd_per_kwh * amount(usage.modelMs)) / MS_PER_HOUR;
  }
  const { input_usd_per_million: input, output_usd_per_million: output } = price;
  return (amount(usage.tokensIn) * input + amount(usage.tokensOut) * output) / 1_000_000;
}

function amount(figure: number): number {
  return Number.isFinite(figure) && figure > 0 ? figure : 0;
}
