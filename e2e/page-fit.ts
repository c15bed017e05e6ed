import type { Page } from '@playwright/test';

/** Waits for two frames, after which the layout reflects earlier changes, such as a new window width. */
export async function twoFrames(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
}

/** The parts of a page that do not fit its window: pixels of horizontal scrolling, and controls beyond its edges. */
export async function misfits(
  page: Page,
): Promise<{ overflow: number; outside: string[]; sideways: number[] }> {
  await twoFrames(page);
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

/** Texts of the page that reach beyond the edge of the window, also where what surrounds them hides that part. */
export async function beyondEdge(page: Page): Promise<string[]> {
  await twoFrames(page);
  return page.evaluate(() => {
    const limit = document.documentElement.clientWidth;
    // What scrolls by itself, such as a table, and lines that end in an ellipsis.
    const ends = (element: Element | null): boolean => {
      for (let each = element; each && each !== document.body; each = each.parentElement) {
        const { overflowX, textOverflow } = getComputedStyle(each);
        const isFeed = each.querySelector('[role="feed"]') !== null;
        if (textOverflow === 'ellipsis' || (/auto|scroll/.test(overflowX) && !isFeed)) return true;
        if (/hidden|clip/.test(overflowX) && each.getBoundingClientRect().right <= limit) return true;
      }
      return false;
    };
    return [...document.querySelectorAll('main *')]
      .filter((element) => element.checkVisibility() && !element.closest('svg *') && !ends(element))
      .filter((element) => {
        const range = document.createRange();
        return [...element.childNodes].some((node) => {
          if (node.nodeType !== Node.TEXT_NODE || !node.textContent?.trim()) return false;
          range.selectNodeContents(node);
          return range.getBoundingClientRect().right > limit + 1;
        });
      })
      .map((element) => element.outerHTML.slice(0, 160));
  });
}

/**
 * Texts that are cut off without a way to read the rest: a tooltip, or a control that unfolds them. Rows of a timeline
 * unfold as a whole.
 */
export function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main *')]
      .filter((element) => {
        if (!element.checkVisibility() || element.clientWidth <= 1) return false;
        if (!/hidden|clip/.test(getComputedStyle(element).overflowX)) return false;
        if (element.textContent.trim() === '' || element.matches(':has(p, div)')) return false;
        const { scrollWidth, scrollHeight, clientWidth, clientHeight } = element;
        // Descenders of a line may reach below it.
        return scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 4;
      })
      .filter((element) => !element.closest('[title], [aria-expanded], summary, [role="feed"]'))
      .filter((element) => element.querySelector('[title]') === null)
      .map((element) => element.outerHTML.slice(0, 160)),
  );
}

/** Pairs of controls that overlap, except those that float over the page or appear only on hover. */
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

/** The size of a target that a finger hits reliably, and that of one for a mouse, in pixels (WCAG 2.2, 2.5.5 and 2.5.8). */
export const TOUCH_TARGET_PX = 44;
export const MOUSE_TARGET_PX = 24;

/**
 * Controls that a finger or a mouse can miss: how far around its center a tap reaches each, with the invisible part that
 * `reach` adds and without what a neighbor takes. Links and buttons within running text are exempt (WCAG 2.2, 2.5.5).
 *
 * @param wantedPx the least width and height
 */
export function smallTargets(page: Page, wantedPx: number): Promise<string[]> {
  return page.evaluate((wanted) => {
    const isTick = (element: Element | null) =>
      element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(element.type);
    /** The label of a tick is measured in its place. */
    const isTarget = (element: Element) => {
      if (element instanceof HTMLLabelElement) return isTick(element.control);
      if (element instanceof HTMLInputElement && isTick(element)) return element.labels?.length === 0;
      return !element.matches('a, button') || getComputedStyle(element).display !== 'inline';
    };
    const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
    const targets = [
      ...root.querySelectorAll('a[href], button, summary, select, textarea, input, label'),
    ].filter((element) => {
      const { width, height } = element.getBoundingClientRect();
      const isSeen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      const isOff = element.matches(':disabled, [inert] *, [aria-hidden="true"]');
      return isSeen && !isOff && width > 1 && height > 1 && isTarget(element);
    });
    const show = (element: Element | null) => element?.outerHTML.slice(0, 120);
    return targets.flatMap((target) => {
      target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const box = target.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const neighbors = new Set<string | undefined>();
      const meets = (byX: number, byY: number) => {
        const hit = document.elementFromPoint(x + byX, y + byY);
        const isOwn = hit !== null && (target.contains(hit) || hit.closest('label')?.control === target);
        if (!isOwn) neighbors.add(show(hit));
        return isOwn || (target instanceof HTMLLabelElement && hit !== null && hit === target.control);
      };
      const extent = (alongX: number, alongY: number) => {
        let pixels = 0;
        while (pixels <= wanted && meets(alongX * (pixels + 1), alongY * (pixels + 1))) pixels += 1;
        return pixels;
      };
      if (!meets(0, 0)) return [`${show(target)} is under ${[...neighbors]}`];
      const width = extent(-1, 0) + extent(1, 0) + 1;
      const height = extent(0, -1) + extent(0, 1) + 1;
      // A center between two pixels costs one.
      if (Math.min(width, height) >= wanted - 1) return [];
      return [`${width} × ${height}: ${show(target)} beside ${[...neighbors].join(' and ')}`];
    });
  }, wantedPx);
}
