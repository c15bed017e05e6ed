import type { Page } from '@playwright/test';
import { twoFrames } from './page-fit.ts';

/** Delays a reply of the API until the page had many chances to draw what it does not need it for. */
export async function delayReply(page: Page, path: string): Promise<void> {
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      try {
        for (let frames = 0; frames < 60; frames += 2) await twoFrames(page);
      } catch {
        // The page went to another address, and draws nothing more.
      }
      await route.continue();
    },
  );
}

/** Holds the reply to the next change of a run, which the server has made by then, until the returned function is called. */
export async function holdChange(page: Page, runId: string): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  let isHeld = false;
  await page.route(
    (url) => url.pathname === `/api/runs/${runId}`,
    async (route) => {
      if (isHeld || route.request().method() !== 'PATCH') return route.fallback();
      isHeld = true;
      const response = await route.fetch();
      await gate.promise;
      await route.fulfill({ response });
    },
  );
  return gate.resolve;
}

/** Holds requests to the API until the returned function is called. @param times the first ones; default: all */
export async function holdReply(page: Page, path: string | RegExp, times?: number): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await page.route(
    (url) => (typeof path === 'string' ? url.pathname === path : path.test(url.href)),
    async (route) => {
      await gate.promise;
      await route.continue();
    },
    { times },
  );
  return gate.resolve;
}
