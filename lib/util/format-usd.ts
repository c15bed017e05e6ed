import { withSeparators } from './numbers.ts';

/**
 * Formats US dollars: cents from one dollar up, two significant digits below, so that the cost of a few local tokens does
 * not show as zero.
 */
export function formatUsd(usd: number): string {
  if (usd === 0 || usd >= 1) return `$${withSeparators(usd.toFixed(2))}`;
  if (usd < 0.000001) return '< $0.000001';
  const digits = Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(usd))));
  return `$${usd.toFixed(digits)}`;
}
