import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, test as base, expect, type Page } from '@playwright/test';
import type { SignedInReply } from '../lib/api/replies.ts';
import { STORED_KEY } from '../lib/api/sign-in-key.ts';
import { type FakeOllama, startFakeOllama } from '../lib/demo/fake-ollama.ts';
import { type LoupeServer, type LoupeServerOptions, startLoupe } from './loupe-server.ts';
import { clearAway } from './runs.ts';

/** A server of one story, and a page of a browser that is signed in there. */
export interface OwnServer {
  loupe: LoupeServer;
  page: Page;
}

interface WorkerFixtures {
  /** Its pages wait until they are interactive. */
  browser: Browser;
  /** A scripted model server over real HTTP; the scenarios that a story adds are removed after it. */
  ollama: FakeOllama;
  /** The program on its production build. */
  loupe: LoupeServer;
}

interface FontSizes {
  standard: number;
  /** Of monospace text. */
  fixed: number;
}

interface TestFixtures {
  /** In every test, the browser contacts only Loupe and runs no foreign script, and no run outlives its story. */
  guard: Watch;
  /** A page of a browser that is signed in. */
  page: Page;
  /** Sets the text sizes that a person chooses in the browser, in pixels. They are reset after the story. */
  setFontSizes: (sizes: FontSizes) => Promise<void>;
  /** A separate server, for stories that end it or need another Ollama; removed after the story. */
  ownServer: (options: LoupeServerOptions) => Promise<OwnServer>;
  /** A fresh folder with the given files. */
  workspace: (files?: Record<string, string>) => string;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  browser: [
    async ({ browser }, use) => {
      const { newContext } = browser;
      browser.newContext = async (...args) => {
        const context = await newContext.apply(browser, args);
        context.on('page', waitUntilInteractive);
        return context;
      };
      await use(browser);
    },
    { scope: 'worker' },
  ],
  ollama: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
    async ({}, use) => {
      // A model for conversations of any length; scenarios play it by `model` and `match`.
      const ollama = await startFakeOllama({ models: [{ name: 'wide-window', context_length: 1_000_000 }] });
      await use(ollama);
      await ollama.close();
    },
    { scope: 'worker' },
  ],
  loupe: [
    async ({ ollama }, use) => {
      const loupe = await startLoupe({ ollamaUrl: ollama.url });
      await use(loupe);
      await loupe.dispose();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ loupe }, use) => use(loupe.url),
  context: async ({ context }, use) => {
    // Playwright does not create a reused context with `newContext`.
    context.on('page', waitUntilInteractive);
    for (const page of context.pages()) waitUntilInteractive(page);
    await use(context);
  },
  guard: [
    async ({ context, loupe, ollama }, use) => {
      const seen = watch(context, loupe.url);
      await use(seen);
      // Clearing away changes the open pages, whose requests would still be intercepted by the routes of the test.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await clearAway(loupe);
      ollama.forget();
      seen.expectNothing();
    },
    { auto: true },
  ],
  page: async ({ context, page, loupe }, use) => {
    await signIn(context, loupe);
    await use(page);
  },
  setFontSizes: async ({ context, page }, use) => {
    const session = await context.newCDPSession(page);
    const set = async (fontSizes: FontSizes) => {
      await session.send('Page.setFontSizes', { fontSizes });
    };
    await use(set);
    // The next story has the same page, and Playwright does not reset them.
    await set({ standard: 16, fixed: 13 });
  },
  ownServer: async ({ browser }, use) => {
    const ends: (() => Promise<void>)[] = [];
    await use(async (options) => {
      const loupe = await startLoupe(options);
      const context = await browser.newContext({ baseURL: loupe.url });
      const seen = watch(context, loupe.url);
      ends.push(async () => {
        await context.close();
        await loupe.dispose();
        seen.expectNothing();
      });
      await signIn(context, loupe);
      return { loupe, page: await context.newPage() };
    });
    for (const end of ends) await end();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
  workspace: async ({}, use) => {
    const folders: string[] = [];
    await use((files = {}) => {
      const folder = mkdtempSync(join(tmpdir(), 'loupe-workspace-'));
      folders.push(folder);
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      return folder;
    });
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  },
});

export { expectAccessible } from './accessible.ts';
export { expect };

/** Signs the browser in as the form does: it gets the cookie, and its pages of this server find the key. */
export async function signIn(context: BrowserContext, loupe: LoupeServer): Promise<void> {
  const answer = await context.request.post(`${loupe.url}/api/session`, {
    headers: { origin: loupe.url },
    data: { token: loupe.token },
  });
  if (!answer.ok()) throw new Error(`Not signed in: ${answer.status()} ${await answer.text()}`);
  const { key } = (await answer.json()) as SignedInReply;
  await context.addInitScript(
    ({ origin, name, value }) => {
      if (location.origin === origin && !localStorage.getItem(name)) localStorage.setItem(name, value);
    },
    { origin: loupe.url, name: STORED_KEY, value: key },
  );
}

/**
 * Opening a page of Loupe waits until it is interactive: earlier keys and clicks are lost on a slow machine. A page
 * becomes interactive all at once, and first sets the reader's density on its root element.
 */
function waitUntilInteractive(page: Page): void {
  const alive = page.locator('html[data-density], html:not(:has(script[src*="/_next/"]))');
  const { goto, reload } = page;
  page.goto = async (...args) => {
    const response = await goto.apply(page, args);
    await alive.waitFor({ state: 'attached' });
    return response;
  };
  page.reload = async (...args) => {
    const response = await reload.apply(page, args);
    await alive.waitFor({ state: 'attached' });
    return response;
  };
}

/** Requests and errors of a page. */
interface Watch {
  /** A problem that the test provokes, and that must occur. */
  expectTrouble(pattern: RegExp): void;
  expectNothing(): void;
}

/** Collects what a hostile or broken page would give away. */
function watch(context: BrowserContext, ownUrl: string): Watch {
  const urls = new Set<string>();
  const troubles: string[] = [];
  const provoked: RegExp[] = [];
  context.on('request', (request) => urls.add(request.url()));
  context.on('weberror', (error) => troubles.push(`page error: ${error.error().message}`));
  context.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('console', (message) => {
    // The browser logs refused requests itself; only the page's own messages matter.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      troubles.push(`console: ${message.text()}`);
    }
  });
  return {
    expectTrouble(pattern) {
      provoked.push(pattern);
    },
    expectNothing() {
      const foreign = [...urls].filter((url) => !url.startsWith(`${ownUrl}/`) && !url.startsWith('data:'));
      expect(foreign, 'D2: the browser asks its own server only').toEqual([]);
      for (const pattern of provoked) expect(troubles).toContainEqual(expect.stringMatching(pattern));
      const others = troubles.filter((trouble) => !provoked.some((pattern) => pattern.test(trouble)));
      expect(others, 'no error, no dialog, nothing refused by the content policy').toEqual([]);
    },
  };
}
