import type { ExperimentReader, ExperimentStore } from './experiment-store.ts';
import type { ModelReader, ModelStore } from './model-store.ts';
import type { RunReader, RunStore } from './run-store.ts';
import type { ShareReader, ShareStore } from './share-store.ts';
import type { SignInReader, SignInStore } from './sign-in-store.ts';

/** The read operations of a store, available on every connection. */
export interface StoreReader extends RunReader, ExperimentReader, ShareReader, SignInReader, ModelReader {}

/**
 * A whole store, as a database implements it and the composition root opens it. Everything else takes the interface of its own
 * subject. Every store passes the same contract suite (`lib/testing/store-contract.ts`).
 */
export interface Store extends RunStore, ExperimentStore, ShareStore, SignInStore, ModelStore {
  close(): Promise<void>;
}
