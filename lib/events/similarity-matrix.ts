/** How reflections are compared: by their word trigrams, or by embeddings. */
export const SIMILARITY_MEASURES = ['ngram', 'embeddings'] as const;
export type SimilarityMeasure = (typeof SIMILARITY_MEASURES)[number];

/** A similarity matrix: symmetric, 1 on the diagonal, `null` where two reflections cannot be compared. */
export interface SimilarityMatrix {
  readonly measure: SimilarityMeasure;
  /** The meaning of each row and column: the run by its index, and the cycle. */
  readonly points: readonly { readonly run: number; readonly cycle: number }[];
  readonly values: readonly (readonly (number | null)[])[];
  /** Reflections that were left out, because there are too many. */
  readonly left_out: number;
}
