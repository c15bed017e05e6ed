import leven from 'leven';

/**
 * The most similar name, or `undefined` if more than a third of the letters differ. Ignores case and the difference
 * between `-`, `_` and camel case.
 */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const plain = simplify(wanted);
  let best: string | undefined;
  let bestDistance = Math.floor(Math.max(plain.length, 3) / 3) + 1;
  for (const name of names) {
    const distance = leven(plain, simplify(name), { maxDistance: bestDistance });
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
