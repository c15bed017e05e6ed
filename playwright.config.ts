import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { findChromium } from './scripts/system-tools.mjs';

/**
 * The stories run against the production build in an installed Chromium: Playwright's own browser is a download that
 * many machines cannot make.
 */
export default defineConfig({
  testDir: 'e2e',
  // Each worker has its own server and Ollama; the stories of a file share them, one after another.
  fullyParallel: false,
  // One more than processors, because stories sometimes wait for a timer or the disk. At most five: each has a browser.
  workers: Math.min(4, availableParallelism()) + 1,
  // A story that fails on a busy machine and passes when tried again is reported as flaky, not hidden.
  retries: process.env.CI ? 2 : 0,
  forbidOnly: Boolean(process.env.CI),
  // Only what hangs is to be found by these: how long things take is measured in bench/.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 860 },
    actionTimeout: 60_000,
    // A fresh context compiles all of a page's code again, which takes 40 % of the CPU time of loading it (CONTRIBUTING.md
    // says what Playwright resets between stories).
    reuseContext: true,
    launchOptions: {
      executablePath: findChromium(),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // On pages that live for seconds, V8's optimizing compilers cost more than they gain.
        '--js-flags=--no-opt --no-maglev',
      ],
    },
    // Recording costs time in every story; where a failed one is tried again, its second try is recorded.
    trace: process.env.CI ? 'on-first-retry' : 'retain-on-failure',
    screenshot: 'only-on-failure',
  },
  projects: [
    { name: 'stories', testMatch: 'stories/**/*.spec.ts' },
    { name: 'ollama', testMatch: 'ollama/**/*.spec.ts' },
  ],
});
