import { notStarted } from '../errors/not-started.ts';
import type { Presets } from '../runs/presets.ts';

const KEY = Symbol.for('loupe.presets');
const place: typeof globalThis & { [KEY]?: Presets } = globalThis;

/** Sets the presets of this process. Stored on `globalThis`, because Next loads a second copy of every module. */
export function setPresets(presets: Presets): void {
  place[KEY] = presets;
}

/** @throws {AppError} `not_started` */
export function getPresets(): Presets {
  return place[KEY] ?? notStarted();
}
