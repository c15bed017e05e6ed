import type { ReadyState } from '../policies/rule.ts';

/** Ollama streams replies with tools from this version on (K-21). */
const SINCE = [0, 8, 0] as const;

/**
 * Whether the server can stream replies while tools are offered. A server that does not tell its version, or whose version
 * is that of a build from source (0.0.0), is taken for a new one.
 */
export function canStreamWithTools({ preflight }: Pick<ReadyState, 'preflight'>): boolean {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(preflight?.server_version ?? '');
  if (!match || match[0] === '0.0.0') return true;
  for (const [index, needed] of SINCE.entries()) {
    const part = Number(match[index + 1]);
    if (part !== needed) return part > needed;
  }
  return true;
}
