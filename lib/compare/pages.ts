import type { RunEvent } from '../events/registry.ts';

/** A log in pages. Fetching a page yields to the event loop, so that other work can proceed. */
export type Pages = AsyncIterable<readonly RunEvent[]>;
