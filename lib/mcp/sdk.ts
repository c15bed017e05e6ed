import type * as Sdk from '@modelcontextprotocol/client';

/** The official client library. Loaded with the first server: without servers, Loupe pays nothing for it. */
export function loadSdk(): Promise<typeof Sdk> {
  return import('@modelcontextprotocol/client');
}
