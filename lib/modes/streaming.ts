import { isAtLeast, STREAMS_TOOLS } from '../model/server-version.ts';
import type { ReadyState } from '../policies/rule.ts';

/**
 * Whether the server can stream replies with tools (K-21). A server that reports no version, or 0.0.0 like a build from
 * source, is treated as current.
 */
export function canStreamWithTools({ preflight }: Pick<ReadyState, 'preflight'>): boolean {
  const version = preflight?.server_version ?? '';
  if (!/^\d+\.\d+\.\d+/.test(version) || /^0\.0\.0(?!\d)/.test(version)) return true;
  return isAtLeast(version, STREAMS_TOOLS);
}
