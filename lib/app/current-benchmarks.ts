import type { Benchmarks } from '../benchmarks/benchmarks.ts';
import { notStarted } from '../errors/not-started.ts';

const KEY = Symbol.for('loupe.benchmarks');
const place: typeof globalThis & { [KEY]?: Benchmarks } = globalThis;

/** Sets the benchmarks of this process. Stored on `globalThis`, because Next loads a second copy of every module. */
export function setBenchmarks(benchmarks: Benchmarks): void {
  place[KEY] = benchmarks;
}

/** @throws {AppError} `not_started` */
export function getBenchmarks(): Benchmarks {
  return place[KEY] ?? notStarted();
}
