import { AppError } from '../errors/app-error.ts';
import type { Gate } from './gate.ts';

const KEY = Symbol.for('loupe.gate');
const place: typeof globalThis & { [KEY]?: Gate } = globalThis;

/** Sets the one gate of this process. Next has a second copy of every module: it is found through `globalThis`. */
export function setGate(gate: Gate): void {
  place[KEY] = gate;
}

/** @throws {AppError} `not_started`: without a gate nothing is answered */
export function getGate(): Gate {
  const gate = place[KEY];
  if (gate) return gate;
  throw new AppError({
    code: 'not_started',
    message: 'The server is still starting.',
    hint: 'Try again in a moment.',
  });
}
