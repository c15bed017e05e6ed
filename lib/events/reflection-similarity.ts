import { memoized } from '../util/memoized.ts';
import { cosineSimilarity, jaccardIndex, wordGroups } from '../util/similarity.ts';
import { WITHHELD } from './share-scopes.ts';
import type { SimilarityMeasure } from './similarity-matrix.ts';

/** A reflection that can be compared with others. Values are never modified, so each is taken apart once. */
export interface Comparable {
  readonly text: string;
  /** Its recorded embedding; missing if it was never embedded. */
  readonly vector?: readonly number[];
}

const groupsOf = memoized(({ text }: Comparable) => wordGroups(text));

/** Whether a reflection says anything: it has a word, and is not withheld from the reader. */
export function isComparable(reflection: Comparable): boolean {
  return reflection.text !== WITHHELD && groupsOf(reflection).size > 0;
}

/**
 * How alike two reflections are, 0 to 1. Feedback, novelty, matrices and diversity all use this function, so figures
 * always match what the model was told.
 *
 * @returns `undefined` if one of the two has no word, or no embedding where these are compared
 */
export function reflectionSimilarity(
  one: Comparable,
  other: Comparable,
  measure: SimilarityMeasure,
): number | undefined {
  if (!(isComparable(one) && isComparable(other))) return undefined;
  if (measure === 'ngram') return jaccardIndex(groupsOf(one), groupsOf(other));
  const { vector: a } = one;
  const { vector: b } = other;
  return a && b && a.length === b.length ? cosineSimilarity(a, b) : undefined;
}

/** The most similar of the earlier reflections, of equals the last; `undefined` if none can be compared. */
export function nearestReflection<Each extends Comparable>(
  last: Comparable,
  earlier: readonly Each[],
  measure: SimilarityMeasure,
): { nearest: Each; similarity: number } | undefined {
  let found: { nearest: Each; similarity: number } | undefined;
  for (const each of earlier) {
    const similarity = reflectionSimilarity(last, each, measure);
    if (similarity !== undefined && similarity >= (found?.similarity ?? 0))
      found = { nearest: each, similarity };
  }
  return found;
}

/** Decimals of a component of a recorded vector: its length is 1, so that similarities keep four digits. */
const VECTOR_DECIMALS = 6;

/** An embedding in its recorded form: of length 1, rounded. Every comparison uses this form, including the first. */
export function recordedVector(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0) return vector.map(() => 0);
  return vector.map((value) => Number((value / length).toFixed(VECTOR_DECIMALS)));
}
