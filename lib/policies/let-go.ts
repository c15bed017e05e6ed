import type { MemoryModel } from '../model/chat-model.ts';

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
/** Clocks that are read one after the other, and the time a question takes. */
const TOLERANCE_MS = 3000;

/** A time to stay as Ollama reads it, in milliseconds: seconds, or `5m`; `undefined` for ever, and for what is neither. */
export function keepAliveMs(keepAlive: string | number): number | undefined {
  if (typeof keepAlive === 'number') return keepAlive < 0 ? undefined : keepAlive * 1000;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(keepAlive);
  if (!match) return undefined;
  return Number(match[1]) * (UNITS_MS[match[2] ?? 's'] ?? 1000);
}

/**
 * Whether the server is done with the request that was just ended: the moment at which it will unload the model stands still,
 * and lies as far ahead as a request that is over sets it.
 */
export function isLetGo(
  before: MemoryModel,
  now: MemoryModel,
  keepAlive: string | number,
  clock: () => number = Date.now,
): boolean {
  const stay = keepAliveMs(keepAlive);
  const expires = Date.parse(now.expiresAt ?? '');
  if (stay === undefined || Number.isNaN(expires) || before.expiresAt !== now.expiresAt) return false;
  return expires >= clock() + stay - TOLERANCE_MS;
}
