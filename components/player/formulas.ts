import { mathTree } from '#lib/browser/content/math.ts';

// The second script of the player: embedded only in pages of runs that may have formulas.
globalThis.loupeMathTree = mathTree;
