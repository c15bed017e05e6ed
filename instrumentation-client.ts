import { expectRunOf } from './lib/browser/stream/hub-client.ts';

// Next runs this as soon as its own scripts are there: the log of a run comes while React takes over the page, not after it.
expectRunOf(location.pathname);
