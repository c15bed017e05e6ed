import type { Page } from '@playwright/test';

/** Loses the answer to the first `POST` to a path: the server gets the request, but the page gets no answer. */
export async function loseFirstAnswer(page: Page, path: string): Promise<void> {
  let isLost = false;
  await page.route(path, async (route) => {
    if (isLost || route.request().method() !== 'POST') return route.continue();
    isLost = true;
    // Retried if the server has just closed the idle connection (ECONNRESET).
    await route.fetch({ maxRetries: 1 });
    await route.abort();
  });
}
