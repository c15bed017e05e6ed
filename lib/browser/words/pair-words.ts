import type { PairsReply } from '../../api/experiment-cells.ts';
import { formatCount, plural } from './format.ts';

type Pairs = Pick<PairsReply, 'both' | 'only_a' | 'only_b' | 'neither' | 'cases'>;

/** The pairs of two cells: `40 pairs with the same case, seed and repeat, of 20 cases`. Pure. */
export function pairsWords(pairs: Pairs): string {
  const words = `${plural(pairCount(pairs), 'pair')} with the same case, seed and repeat`;
  return areRepeated(pairs) ? `${words}, of ${plural(pairs.cases ?? 0, 'case')}` : words;
}

/**
 * How to read interval and p if cases were repeated: runs of one case are more alike than runs of different cases.
 * Pure.
 */
export function repeatsNote(pairs: Pairs): string | undefined {
  if (!areRepeated(pairs)) return undefined;
  const these = pairs.cases === 1 ? 'this case' : `these ${formatCount(pairs.cases ?? 0)} cases`;
  return `Interval and p count each seed and repeat of a case as a pair. They hold for ${these}; for other cases, they overstate the certainty.`;
}

/**
 * A difference of pass rates in percentage points: `+12`, `−3`, `0`. Below one point with decimals, because thousands of
 * pairs can show that it is not 0: `+0.3`. Pure.
 */
export function pointsWords(difference: number): string {
  return Math.abs(difference) * 100 < 0.995 ? exactPointsWords(difference) : signedPoints(difference, 0);
}

/** The same with decimals at any size: `+12.4`. Pure. */
export function exactPointsWords(difference: number): string {
  return signedPoints(difference, Math.abs(difference) * 100 < 0.095 ? 2 : 1);
}

function signedPoints(difference: number, decimals: number): string {
  const points = Number((Math.abs(difference) * 100).toFixed(decimals));
  if (points === 0) return '0';
  return `${difference < 0 ? '−' : '+'}${points}`;
}

export function pairCount({ both, only_a, only_b, neither }: Pairs): number {
  return both + only_a + only_b + neither;
}

function areRepeated(pairs: Pairs): boolean {
  return pairs.cases !== undefined && pairCount(pairs) > pairs.cases;
}
