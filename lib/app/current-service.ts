import { notStarted } from '../errors/not-started.ts';
import type { RunService } from '../runs/run-service.ts';

const KEY = Symbol.for('loupe.run-service');
const place: typeof globalThis & { [KEY]?: RunService } = globalThis;

/** Sets the run service of this process. Stored on `globalThis`, because Next loads a second copy of every module. */
export function setRunService(service: RunService): void {
  place[KEY] = service;
}

export function findRunService(): RunService | undefined {
  return place[KEY];
}

/** @throws {AppError} `not_started` */
export function getRunService(): RunService {
  return place[KEY] ?? notStarted();
}
