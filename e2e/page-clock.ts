import type { Page } from '@playwright/test';

/** The longest time between two polls of the state of Ollama. */
const POLL_MS = 10_000;

/** Moves the clock of a page on to its next poll, after `page.clock.install()`. */
export async function advanceToNextPoll(page: Page): Promise<void> {
  await page.clock.fastForward(POLL_MS);
}
