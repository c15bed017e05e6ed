import { notStarted } from '../errors/not-started.ts';
import type { Experiments } from '../experiments/experiments.ts';

const KEY = Symbol.for('loupe.experiments');
const place: typeof globalThis & { [KEY]?: Experiments } = globalThis;

/** Sets the experiments of this process. Stored on `globalThis`, because Next loads a second copy of every module. */
export function setExperiments(experiments: Experiments): void {
  place[KEY] = experiments;
}

/** @throws {AppError} `not_started` */
export function getExperiments(): Experiments {
  return place[KEY] ?? notStarted();
}
