import type {
  BenchmarkEvidence,
  BenchmarkRecord,
  BenchmarkResult,
  BenchmarkStatus,
} from '../api/benchmark.ts';
import type { KeyUse, RequestKey } from './request-key.ts';

/** A benchmark with the number of its results. */
export interface StoredBenchmark {
  record: BenchmarkRecord;
  done: number;
}

/** Reads benchmarks. */
export interface BenchmarkReader {
  /** All benchmarks, newest first. */
  benchmarks(): Promise<StoredBenchmark[]>;
  benchmark(id: string): Promise<StoredBenchmark | undefined>;
  /** What an idempotency key of benchmarks was used for. */
  benchmarkOfKey(key: string): Promise<KeyUse | undefined>;
  /** The results in order. */
  benchmarkResults(id: string): Promise<BenchmarkResult[]>;
  benchmarkCase(
    id: string,
    position: number,
  ): Promise<{ result: BenchmarkResult; evidence: BenchmarkEvidence } | undefined>;
}

/** The worker of a benchmark, and how long it keeps other processes out. */
export interface BenchmarkHold {
  worker: string;
  /** Milliseconds since 1970. */
  now: number;
  /** A worker whose last heartbeat is older than this is considered dead. */
  staleBefore: number;
}

/** What changes about a benchmark. What is missing stays. */
export interface BenchmarkChange {
  /** Only a benchmark with one of these is changed. */
  from?: readonly BenchmarkStatus[];
  status?: BenchmarkStatus;
  /** `null` removes it. */
  problem?: BenchmarkRecord['problem'] | null;
  /** Added to those of other models. */
  details?: BenchmarkRecord['details'];
  updated_at: number;
}

/** Keeps benchmarks and their results. */
export interface BenchmarkStore extends BenchmarkReader {
  /**
   * Stores a new benchmark with its key, together or not at all.
   *
   * @returns what the key was used for before, in which case nothing is stored
   */
  createBenchmark(record: BenchmarkRecord, key?: RequestKey): Promise<KeyUse | undefined>;
  /** Changes a benchmark, unless it was deleted. Changes that other processes make at the same time are kept. */
  changeBenchmark(id: string, change: BenchmarkChange): Promise<void>;
  /** Stores the result of a case. An existing one is kept. */
  addBenchmarkResult(id: string, result: BenchmarkResult, evidence: BenchmarkEvidence): Promise<void>;
  /** Claims a benchmark, or renews the claim. Returns `false` if another worker holds it. */
  holdBenchmark(id: string, hold: BenchmarkHold): Promise<boolean>;
  releaseBenchmark(id: string, worker: string): Promise<void>;
  /** Deletes a benchmark with its results. Returns whether it existed. */
  deleteBenchmark(id: string): Promise<boolean>;
}
