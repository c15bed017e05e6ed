import { notStarted } from '../errors/not-started.ts';
import type { Gate } from './gate.ts';

const KEY = Symbol.for('loupe.gate');
const place: typeof globalThis & { [KEY]?: Gate } = globalThis;

/** Sets the gate of this process. Stored on `globalThis`, because Next loads a second copy of every module. */
export function setGate(gate: Gate): void {
  place[KEY] = gate;
}

/** @throws {AppError} `not_started`; without a gate, no request is answered */
export function getGate(): Gate {
  return place[KEY] ?? notStarted();
}
