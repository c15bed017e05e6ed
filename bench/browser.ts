import { type BrowserContext, chromium, type Page } from '@playwright/test';
import { signIn } from '../e2e/fixtures.ts';
import type { LoupeServer } from '../e2e/loupe-server.ts';
import { findChromium } from '../scripts/system-tools.mjs';

/** The one context of a headless browser, signed in to a server. */
export async function openBrowser(loupe: LoupeServer): Promise<BrowserContext> {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--enable-precise-memory-info'],
  });
  const context = await browser.newContext({ baseURL: loupe.url, viewport: { width: 1280, height: 860 } });
  await signIn(context, loupe);
  return context;
}

/** The memory of a page after garbage collection, in MB. */
export async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 1024 / 1024;
}
