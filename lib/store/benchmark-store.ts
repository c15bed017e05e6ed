import type { BenchmarkEvidence, BenchmarkRecord, BenchmarkResult } from '../api/benchmark.ts';

/** A benchmark with the number of its results. */
export interface StoredBenchmark {
  record: BenchmarkRecord;
  done: number;
}

/** Reads benchmarks. */
export interface BenchmarkReader {
  /** The newest first. */
  benchmarks(): Promise<StoredBenchmark[]>;
  benchmark(id: string): Promise<StoredBenchmark | undefined>;
  /** The results in order. */
  benchmarkResults(id: string): Promise<BenchmarkResult[]>;
  benchmarkCase(
    id: string,
    position: number,
  ): Promise<{ result: BenchmarkResult; evidence: BenchmarkEvidence } | undefined>;
}

/** Who works on a benchmark, and until when no other process may. */
export interface BenchmarkHold {
  worker: string;
  /** Milliseconds since 1970. */
  now: number;
  /** A worker whose last sign of life is older than this is gone. */
  staleBefore: number;
}

/** Keeps benchmarks and their results. */
export interface BenchmarkStore extends BenchmarkReader {
  saveBenchmark(record: BenchmarkRecord): Promise<void>;
  /** Stores the result of a case. One that is stored already is kept. */
  addBenchmarkResult(id: string, result: BenchmarkResult, evidence: BenchmarkEvidence): Promise<void>;
  /** Takes a benchmark, or says that the worker still works on it. Returns `false` if another worker has it. */
  holdBenchmark(id: string, hold: BenchmarkHold): Promise<boolean>;
  releaseBenchmark(id: string, worker: string): Promise<void>;
  /** Deletes a benchmark with its results. Returns whether there was one. */
  deleteBenchmark(id: string): Promise<boolean>;
}
