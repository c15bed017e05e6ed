/**
 * The most similar name, or `undefined` if more than a third of the letters differ. Ignores case and the difference
 * between `-`, `_` and camel case.
 */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const plain = simplify(wanted);
  let best: string | undefined;
  let bestDistance = Math.floor(Math.max(plain.length, 3) / 3) + 1;
  for (const name of names) {
    const distance = editDistance(plain, simplify(name), bestDistance);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

function simplify(name: string): string {
  return name.slice(0, 100).toLowerCase().replaceAll(/[-_ ]/g, '');
}

/** The Levenshtein distance, or `limit` once the distance cannot be smaller. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    if (Math.min(...next) >= limit) return limit;
    row = next;
  }
  return Math.min(row[b.length] ?? limit, limit);
}
