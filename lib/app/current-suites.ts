import { notStarted } from '../errors/not-started.ts';
import type { Suites } from '../runs/suites.ts';

const KEY = Symbol.for('loupe.suites');
const place: typeof globalThis & { [KEY]?: Suites } = globalThis;

/** Sets the suites of this process. Stored on `globalThis`, because Next loads a second copy of every module. */
export function setSuites(suites: Suites): void {
  place[KEY] = suites;
}

/** @throws {AppError} `not_started` */
export function getSuites(): Suites {
  return place[KEY] ?? notStarted();
}
