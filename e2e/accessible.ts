import { expect, type Page } from '@playwright/test';
import axe from 'axe-core';

/**
 * Fails with all violations that axe finds on the current page, once its colors have settled.
 *
 * @param rules the rules to check, such as `color-contrast`; default: all
 */
export async function expectAccessible(page: Page, rules?: string[]): Promise<void> {
  // Injected once per page: compiling it costs 40 ms.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async (runOnly) => {
    // Transitions skip to their end: hundreds of scans would wait for them otherwise.
    for (const animation of document.getAnimations()) {
      const isEndless = animation.effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY;
      if (!isEndless) animation.finish();
    }
    // Passing rules are not listed, and frames are not searched: no page has any.
    const found = await window.axe.run(document, {
      resultTypes: ['violations'],
      iframes: false,
      ...(runOnly && { runOnly }),
    });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  }, rules);
  expect(violations).toEqual([]);
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}
