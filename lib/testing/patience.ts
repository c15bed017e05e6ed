import { vi } from 'vitest';

/** Milliseconds until what a test waits for is given up: long for any machine, since only what never comes is to fail. */
const PATIENCE_MS = 20_000;

// The default of one second is a measurement of the machine, and vitest has no setting for it (it has one for expect.poll).
const { waitFor } = vi;
vi.waitFor = (look, options) =>
  waitFor(look, { timeout: PATIENCE_MS, ...(typeof options === 'number' ? { timeout: options } : options) });
