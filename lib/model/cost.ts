/** What a model's provider asks, in US dollars per million tokens. */
export interface TokenPrice {
  inputUsdPerMillion: number;
  outputUsdPerMillion: number;
}

/**
 * Prices of models that are not local, by provider and model. They serve the comparison "what would this run have
 * cost elsewhere" and change over time: pass a table of your own where it matters.
 */
export const TOKEN_PRICES: Readonly<Record<string, Readonly<Record<string, TokenPrice>>>> = {
  openai: {
    'gpt-4o': { inputUsdPerMillion: 2.5, outputUsdPerMillion: 10 },
    'gpt-4o-mini': { inputUsdPerMillion: 0.15, outputUsdPerMillion: 0.6 },
  },
  anthropic: {
    'claude-3-5-sonnet': { inputUsdPerMillion: 3, outputUsdPerMillion: 15 },
    'claude-3-5-haiku': { inputUsdPerMillion: 0.8, outputUsdPerMillion: 4 },
  },
};

/**
 * The cost of a run in US dollars (V3, V4). Local Ollama costs 0.
 *
 * @param usage.provider default `ollama`
 * @param usage.tokensIn prompt tokens of all calls, 0 or more; a number that is not finite counts as 0 (T8)
 * @returns 0 for Ollama; the table's price for others; `undefined` when the table does not know the model: no price is not a price of 0
 */
export function calculateCost(
  usage: { provider?: string; model: string; tokensIn: number; tokensOut: number },
  prices: Readonly<Record<string, Readonly<Record<string, TokenPrice>>>> = TOKEN_PRICES,
): number | undefined {
  const provider = usage.provider ?? 'ollama';
  if (provider === 'ollama') return 0;
  const table = Object.hasOwn(prices, provider) ? prices[provider] : undefined;
  const price = table && Object.hasOwn(table, usage.model) ? table[usage.model] : undefined;
  if (!price) return undefined;
  const cost =
    tokens(usage.tokensIn) * price.inputUsdPerMillion + tokens(usage.tokensOut) * price.outputUsdPerMillion;
  return cost / 1_000_000;
}

function tokens(count: number): number {
  return Number.isFinite(count) && count > 0 ? count : 0;
}
