/** Loads what draws formulas. The player's build puts `components/player/embedded-formulas.ts` in its place. */
export async function loadMathTree() {
  return (await import('./math.ts')).mathTree;
}
