import { notStarted } from '../../errors/not-started.ts';
import type { Sharing } from './sharing.ts';

const KEY = Symbol.for('loupe.sharing');
const place: typeof globalThis & { [KEY]?: Sharing } = globalThis;

/** Sets the sharing service of this process. Stored on `globalThis`, because Next loads a second copy of every module. */
export function setSharing(sharing: Sharing): void {
  place[KEY] = sharing;
}

/** @throws {AppError} `not_started` */
export function getSharing(): Sharing {
  return place[KEY] ?? notStarted();
}
