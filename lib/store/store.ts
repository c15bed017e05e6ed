import type { AnnotationReader, AnnotationStore } from './annotation-store.ts';
import type { BenchmarkReader, BenchmarkStore } from './benchmark-store.ts';
import type { ExperimentReader, ExperimentStore } from './experiment-store.ts';
import type { ImageReader, ImageStore } from './image-store.ts';
import type { ModelReader, ModelStore } from './model-store.ts';
import type { PresetReader, PresetStore } from './preset-store.ts';
import type { RunReader, RunStore } from './run-store.ts';
import type { ShareReader, ShareStore } from './share-store.ts';
import type { SignInReader, SignInStore } from './sign-in-store.ts';
import type { StandingApprovalReader, StandingApprovalStore } from './standing-approval-store.ts';
import type { SuiteReader, SuiteStore } from './suite-store.ts';

/** The read operations of a store, available on every connection. */
export interface StoreReader
  extends RunReader,
    AnnotationReader,
    ImageReader,
    ExperimentReader,
    ShareReader,
    SignInReader,
    StandingApprovalReader,
    ModelReader,
    PresetReader,
    SuiteReader,
    BenchmarkReader {}

/**
 * A complete store, as implemented by a database and opened by the composition root. Everything else uses the interface
 * for its own subject. Every store passes the same contract suite (`lib/testing/store-contract.ts`).
 */
export interface Store
  extends RunStore,
    AnnotationStore,
    ImageStore,
    ExperimentStore,
    ShareStore,
    SignInStore,
    StandingApprovalStore,
    ModelStore,
    PresetStore,
    SuiteStore,
    BenchmarkStore {
  close(): Promise<void>;
}
