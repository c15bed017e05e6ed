import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['lib/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: ['**/*.integration.test.ts', '**/node_modules/**'],
          environment: 'node',
          // A machine that does other things as well may take its time; a test that hangs is still found.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['lib/**/*.integration.test.ts', 'e2e/**/*.integration.test.ts'],
          environment: 'node',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Processes that are killed and started in the midst of other work: once more on a busy machine.
          retry: process.env.CI ? 1 : 0,
        },
      },
      {
        test: {
          name: 'ollama',
          include: ['e2e/ollama/**/*.ollama.test.ts'],
          environment: 'node',
          testTimeout: 180_000,
          hookTimeout: 1_200_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
