import { defineConfig } from 'vitest/config';
import { patient } from '../../vitest.config.ts';

// All tests of some rooms of lib, unit and integration. Not by StrykerJS's own option `testFiles`, with which it doesn't
// apply mutants in top-level code (https://github.com/stryker-mutator/stryker-js/issues/6144).
const rooms = process.env.LOUPE_MUTATION_TESTS?.split(',') ?? [];

export default defineConfig({
  test: {
    ...patient,
    include: rooms.map((room) => `lib/${room}/**/*.test.ts`),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
