import type { ImportSteps } from '../../store/import-run.ts';
import type { Store } from '../../store/store.ts';

/** A store under test, in its own location that outlives `reopen`. */
export interface StoreUnderTest {
  store: Store;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<Store>;
  dispose(): Promise<void>;
  /** The steps of an import, one by one. */
  imports(): ImportSteps;
}
