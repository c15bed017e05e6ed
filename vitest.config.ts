import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { useBundledThreads } from './lib/testing/bundle-threads.ts';

/** What a test waits for comes when the machine gets to it. */
export const patient = {
  setupFiles: ['lib/testing/patience.ts'],
  expect: { poll: { timeout: 20_000 } },
  // Vitest leaves one processor to itself, which on a machine with two is half of it. Many tests only wait.
  maxWorkers: Math.max(2, availableParallelism()),
};

export default defineConfig({
  test: {
    // Of the unit tests alone, in `npm test` (N10): what only integration tests and stories reach comes on top.
    coverage: {
      provider: 'v8',
      include: ['lib/**/*.ts'],
      // What only tests use.
      exclude: [
        '**/*.test.ts',
        'lib/testing/**',
        'lib/parser/testing/**',
        '**/under-test.ts',
        'lib/compare/compare-logs.ts',
        'lib/http/test-gate.ts',
        'lib/sign-ins/test-store.ts',
      ],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 80, statements: 80 },
    },
    projects: [
      {
        test: {
          name: 'unit',
          ...patient,
          include: ['lib/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: ['**/*.integration.test.ts', '**/node_modules/**'],
          environment: 'node',
          // All files of a worker share one process and its modules: loading those again takes half of all CPU
          // time. So a test that changes its process (its platform, fake timers, spies) changes it back.
          isolate: false,
          // A machine that does other things as well may take its time; a test that hangs is still found.
          testTimeout: 30_000,
        },
      },
      {
        plugins: [useBundledThreads],
        test: {
          name: 'integration',
          ...patient,
          globalSetup: 'lib/testing/bundle-threads.ts',
          // They mostly wait: for leases, time limits, pauses between tries and processes that start or end.
          maxWorkers: patient.maxWorkers + 2,
          include: ['{lib,scripts,e2e}/**/*.integration.test.ts'],
          environment: 'node',
          // As in unit tests.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Processes that are killed and started during other work: retried once, for busy machines.
          retry: process.env.CI ? 1 : 0,
        },
      },
      {
        test: {
          name: 'ollama',
          // Each file has its own Ollama.
          ...patient,
          include: ['e2e/ollama/**/*.ollama.test.ts'],
          environment: 'node',
          testTimeout: 180_000,
          hookTimeout: 1_200_000,
        },
      },
    ],
  },
});
