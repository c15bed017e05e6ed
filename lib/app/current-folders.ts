import { notStarted } from '../errors/not-started.ts';
import type { Folders } from '../runs/folders.ts';

const KEY = Symbol.for('loupe.folders');
const place: typeof globalThis & { [KEY]?: Folders } = globalThis;

/** Sets the folders of this process. Stored on `globalThis`, because Next loads a second copy of every module. */
export function setFolders(folders: Folders): void {
  place[KEY] = folders;
}

/** @throws {AppError} `not_started` */
export function getFolders(): Folders {
  return place[KEY] ?? notStarted();
}
