import type * as Sdk from '@modelcontextprotocol/client';

/**
 * The official client library. Loaded with the first server, so that Loupe without servers does not need its memory.
 */
export function loadSdk(): Promise<typeof Sdk> {
  return import('@modelcontextprotocol/client');
}
