import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { type FakeOllama, startFakeOllama } from '../lib/testing/fake-ollama.ts';
import { type LoupeServer, startLoupe } from './loupe-server.ts';

interface WorkerFixtures {
  /** A scripted model server over real HTTP; add scenarios to it, each with a name of its own. */
  ollama: FakeOllama;
  /** The program on its production build. */
  loupe: LoupeServer;
}

interface TestFixtures {
  /** A page of a browser that has opened the operator's link: it holds the cookie. */
  page: Page;
  /** A fresh folder with the given files. */
  workspace: (files?: Record<string, string>) => string;
  /** Fails with every violation that axe finds on the page as it stands. */
  expectAccessible: () => Promise<void>;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  ollama: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
    async ({}, use) => {
      const ollama = await startFakeOllama();
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
  page: async ({ page, loupe }, use) => {
    await signIn(page, loupe);
    await use(page);
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
  expectAccessible: async ({ page }, use) => {
    await use(async () => {
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(
        violations.map((found) => `${found.id}: ${found.nodes.map((node) => node.html).join(' | ')}`),
      ).toEqual([]);
    });
  },
});

export { expect };

/** Gives the browser the cookie that the operator's one-time link brings. */
export async function signIn(page: Page, loupe: LoupeServer): Promise<void> {
  const answer = await loupe.request('/api/session-link', { method: 'POST', json: {} });
  if (!answer.ok) throw new Error(`No link: ${answer.status} ${await answer.text()}`);
  const { url } = (await answer.json()) as { url: string };
  await page.goto(url);
}

export interface StartedRun {
  id: string;
}

/** Starts a run through the API. */
export async function startRun(loupe: LoupeServer, run: Record<string, unknown>): Promise<StartedRun> {
  const answer = await loupe.request('/api/runs', { json: run });
  const body = (await answer.json()) as { run?: StartedRun };
  if (!answer.ok || !body.run)
    throw new Error(`The run was refused: ${answer.status} ${JSON.stringify(body)}`);
  return body.run;
}
