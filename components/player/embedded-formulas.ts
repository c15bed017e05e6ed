import type { mathTree } from '#lib/browser/content/math.ts';

declare global {
  /** Set by the second script of a page whose run may have formulas. */
  var loupeMathTree: typeof mathTree | undefined;
}

/** The code that draws formulas comes at the end of the page, so that the run is visible before it has loaded. */
export async function loadMathTree(): Promise<typeof mathTree> {
  if (document.readyState === 'loading') {
    await new Promise((done) => document.addEventListener('DOMContentLoaded', done, { once: true }));
  }
  if (!globalThis.loupeMathTree) throw new Error('This page does not include the code for formulas.');
  return globalThis.loupeMathTree;
}
