import { vi } from 'vitest';

/** Milliseconds until a test gives up waiting: long for any machine, because only what never happens should fail. */
const PATIENCE_MS = 20_000;

// The default of one second would test the machine's speed, and vitest has no setting for it (only for
// expect.poll).
const { waitFor } = vi;
vi.waitFor = (look, options) =>
  waitFor(look, { timeout: PATIENCE_MS, ...(typeof options === 'number' ? { timeout: options } : options) });
