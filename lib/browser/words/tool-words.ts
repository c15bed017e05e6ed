import type { OfferableTool } from '../../api/tools.ts';
import { formatCount } from './format.ts';

/** The first sentence of a tool's description. */
export function toolSummary(tools: readonly OfferableTool[], name: string): string | undefined {
  const description = tools.find((tool) => tool.name === name)?.description;
  return description?.match(/^.*?[.!](?= |$)/s)?.[0] ?? description;
}

/**
 * What the definitions of the offered tools take of the window.
 *
 * @param windowTokens the window that the run asks for
 */
export function toolCost(
  tools: readonly OfferableTool[],
  offered: readonly string[],
  windowTokens: number,
): string {
  const chosen = tools.filter(({ name }) => offered.includes(name));
  const tokens = chosen.reduce((sum, tool) => sum + tool.estimated_tokens, 0);
  const percent = (tokens / windowTokens) * 100;
  const share = percent < 1 ? 'less than 1%' : `${Math.round(percent)}%`;
  const count = chosen.length === 1 ? '1 tool' : `${chosen.length} tools`;
  return `${count}: about ${formatCount(tokens)} tokens in every request, ${share} of the window.`;
}
