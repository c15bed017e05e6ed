import type { Page } from '@playwright/test';
import { twoFrames } from './page-fit.ts';

/** Delays a reply of the API until the page had many chances to draw what it does not need it for. */
export async function delayReply(page: Page, path: string): Promise<void> {
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      for (let frames = 0; frames < 60; frames += 2) await twoFrames(page);
      await route.continue();
    },
  );
}
