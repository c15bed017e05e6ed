import type { Page } from '@playwright/test';

/** What of a page does not fit its window: pixels that it scrolls sideways, and controls beyond its edges. */
export async function misfits(
  page: Page,
): Promise<{ overflow: number; outside: string[]; sideways: number[] }> {
  const { overflow, outside } = await page.evaluate(() => {
    const limit = document.documentElement.clientWidth;
    const scrollsInside = (element: Element) => {
      for (let parent = element.parentElement; parent; parent = parent.parentElement) {
        if (/auto|scroll|hidden|clip/.test(getComputedStyle(parent).overflowX) && parent !== document.body)
          return true;
      }
      return false;
    };
    const controls = [...document.querySelectorAll('a, button, input, select, textarea, summary')];
    return {
      overflow: document.documentElement.scrollWidth - limit,
      outside: controls
        .filter((control) => {
          const box = control.getBoundingClientRect();
          if (box.width <= 1 || scrollsInside(control)) return false;
          return box.left < -1 || box.right > limit + 1;
        })
        .map((control) => control.outerHTML.slice(0, 120)),
    };
  });
  // The timeline does not scroll sideways either.
  const sideways = await page
    .getByRole('feed')
    .evaluateAll((feeds) =>
      feeds.map((feed) => (feed.parentElement?.scrollWidth ?? 0) - (feed.parentElement?.clientWidth ?? 0)),
    );
  return { overflow, outside, sideways: sideways.filter((pixels) => pixels > 0) };
}

/** Pairs of controls that lie on each other, but for those that float over the page or show only when pointed at. */
export function overlaps(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Box = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>;
    /** Without what is scrolled or clipped away. */
    const visiblePart = (element: Element, { left, right, top, bottom }: Box): Box => {
      const part = { left, right, top, bottom };
      for (let parent = element.parentElement; parent; parent = parent.parentElement) {
        if (getComputedStyle(parent).overflow === 'visible') continue;
        const frame = parent.getBoundingClientRect();
        part.left = Math.max(part.left, frame.left);
        part.right = Math.min(part.right, frame.right);
        part.top = Math.max(part.top, frame.top);
        part.bottom = Math.min(part.bottom, frame.bottom);
      }
      return part;
    };
    const floats = (element: Element) => {
      for (let each: Element | null = element; each; each = each.parentElement) {
        const { opacity, position, visibility } = getComputedStyle(each);
        if (opacity === '0' || visibility === 'hidden' || position === 'fixed' || position === 'sticky')
          return true;
      }
      return false;
    };
    const controls = [...document.querySelectorAll('a, button, input, select, textarea, summary')]
      .filter((control) => !floats(control) && control.checkVisibility())
      .map((control) => ({
        control,
        boxes: [...control.getClientRects()].map((box) => visiblePart(control, box)),
      }));
    const meet = (a: Box, b: Box) =>
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
    return controls.flatMap(({ control: one, boxes }, index) =>
      controls
        .slice(index + 1)
        .filter(({ control: other }) => !one.contains(other) && !other.contains(one))
        .filter((other) => boxes.some((box) => other.boxes.some((its) => meet(box, its))))
        .map(({ control: other }) => `${one.outerHTML.slice(0, 100)} on ${other.outerHTML.slice(0, 100)}`),
    );
  });
}
