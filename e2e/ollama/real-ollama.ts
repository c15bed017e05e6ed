import { test as base } from '../fixtures.ts';
import { startLoupe } from '../loupe-server.ts';
import { type RealOllama, startOllama } from './start-ollama.ts';

/** The stories that use this talk to a real Ollama that serves the tiny model (README.md). */
export const test = base.extend<object, { realOllama: RealOllama }>({
  realOllama: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
    async ({}, use) => {
      const ollama = await startOllama();
      await use(ollama);
      await ollama.stop();
    },
    { scope: 'worker', timeout: 600_000 }, // if Ollama must be built first
  ],
  loupe: [
    async ({ realOllama }, use) => {
      const loupe = await startLoupe({ ollamaUrl: realOllama.url });
      await use(loupe);
      await loupe.dispose();
    },
    { scope: 'worker' },
  ],
});

/** Makes answers reproducible: temperature 0, and a window that the model supports. */
export const settings = {
  model: 'tiny-tools',
  model_options: { temperature: 0, seed: 1 },
  window_tokens: 8192,
};
