import type { BenchmarkEvidence, BenchmarkRecord, BenchmarkResult } from '../api/benchmark.ts';

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

/** Keeps benchmarks and their results. */
export interface BenchmarkStore extends BenchmarkReader {
  saveBenchmark(record: BenchmarkRecord): Promise<void>;
  /** Stores the result of a case. An existing one is kept. */
  addBenchmarkResult(id: string, result: BenchmarkResult, evidence: BenchmarkEvidence): Promise<void>;
  /** Claims a benchmark, or renews the claim. Returns `false` if another worker holds it. */
  holdBenchmark(id: string, hold: BenchmarkHold): Promise<boolean>;
  releaseBenchmark(id: string, worker: string): Promise<void>;
  /** Deletes a benchmark with its results. Returns whether it existed. */
  deleteBenchmark(id: string): Promise<boolean>;
}
