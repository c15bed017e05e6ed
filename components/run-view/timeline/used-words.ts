import { formatTokens } from '#lib/browser/words/format.ts';
import type { EventOf } from '#lib/events/registry.ts';
import { formatUsd } from '#lib/util/format-usd.ts';

/** A run's usage: its tokens, and their cost if there is one. */
export function usedWords(
  { tokens_used, tokens_estimated, cost_usd }: EventOf<'budget.checked'>,
  formatNumber?: (count: number) => string,
): string {
  const tokens = formatTokens(tokens_used, tokens_estimated, formatNumber);
  // Logs from before models had prices contain a meaningless 0.
  return cost_usd ? `${tokens} tok, ${formatUsd(cost_usd)}` : `${tokens} tok`;
}
