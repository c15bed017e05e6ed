import { expectRunOf } from './lib/browser/stream/hub-client.ts';

// Next runs this as soon as its own scripts have loaded, so the log of a run arrives while React hydrates the page, not
// after it.
expectRunOf(location.pathname);
