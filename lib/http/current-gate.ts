import { notStarted } from '../errors/not-started.ts';
import type { Gate } from './gate.ts';

const KEY = Symbol.for('loupe.gate');
const place: typeof globalThis & { [KEY]?: Gate } = globalThis;

/** Sets the one gate of this process. Next has a second copy of every module: it is found through `globalThis`. */
export function setGate(gate: Gate): void {
  place[KEY] = gate;
}

/** @throws {AppError} `not_started`: without a gate nothing is answered */
export function getGate(): Gate {
  return place[KEY] ?? notStarted();
}
