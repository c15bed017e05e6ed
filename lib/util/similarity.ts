const GROUP = 3;

/** The share of two sets that both have, from 0 to 1; two empty sets are equal. */
export function jaccardIndex(first: ReadonlySet<string>, second: ReadonlySet<string>): number {
  if (first.size === 0 && second.size === 0) return 1;
  let shared = 0;
  for (const group of first) if (second.has(group)) shared += 1;
  return shared / (first.size + second.size - shared);
}

/** The word trigrams of a text, without case and punctuation. A shorter text is one group; an empty one has none. */
export function wordGroups(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length <= GROUP) return new Set(words.length === 0 ? [] : [words.join(' ')]);
  const groups = new Set<string>();
  for (let start = 0; start + GROUP <= words.length; start += 1) {
    groups.add(words.slice(start, start + GROUP).join(' '));
  }
  return groups;
}

/** The cosine similarity of two vectors, clamped to 0 … 1; 0 for vectors that cannot be compared. */
export function cosineSimilarity(a: readonly number[], b: readonly number[]): number {
  let product = 0;
  let squaresA = 0;
  let squaresB = 0;
  a.forEach((value, index) => {
    const other = b[index] ?? 0;
    product += value * other;
    squaresA += value * value;
    squaresB += other * other;
  });
  const cosine = product / Math.sqrt(squaresA * squaresB);
  return Number.isFinite(cosine) ? Math.min(1, Math.max(0, cosine)) : 0;
}
