import { AppError } from '../errors/app-error.ts';
import type { RunService } from './run-service.ts';

const KEY = Symbol.for('loupe.run-service');
const place: typeof globalThis & { [KEY]?: RunService } = globalThis;

/** Sets the one service of this process. Next has a second copy of every module: it is found through `globalThis`. */
export function setRunService(service: RunService): void {
  place[KEY] = service;
}

export function findRunService(): RunService | undefined {
  return place[KEY];
}

/** @throws {AppError} `not_started` */
export function getRunService(): RunService {
  const service = place[KEY];
  if (service) return service;
  throw new AppError({
    code: 'not_started',
    message: 'The server is still starting.',
    hint: 'Try again in a moment.',
  });
}
